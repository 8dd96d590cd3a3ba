// pack.cpp - compresses text in blocks, in a pipeline of three filters, and is no faster on two
// cores: docs/WALKTHROUGH-PIPELINE.md finds out why. With -DMENDED it is pack-mended.
#include <cstdint>
#include <string>
#include <string_view>
#include <tbb/parallel_pipeline.h>
#include <vector>
#include "common.h"

static const size_t BLOCK = 64 << 10, TABLE = 4096;

static std::string make_text(size_t bytes)
{
    uint64_t s = 88172645463325252ull;
    std::string text;
    while (text.size() < bytes) {
        s ^= s << 13, s ^= s >> 7, s ^= s << 17;
        text += "the of a task in core and span on path work is for "[s % 48];
        if (s >> 60 && text.size() > 100)
            text.append(text, text.size() - 20 - s / 64 % 80, 3 + s / 4096 % 15);
    }
    return text;
}

// A byte as it is, or the distance and the length of the same bytes before.
static std::string compress(std::string_view block)
{
#ifndef MENDED
    static std::vector<size_t> last;        // where bytes with this hash were
#else
    std::vector<size_t> last;
#endif
    last.assign(TABLE, 0);
    std::string packed;
    packed.reserve(block.size());
    for (size_t i = 0; i < block.size();) {
        uint32_t four = 0;
        std::memcpy(&four, &block[i], std::min<size_t>(4, block.size() - i));
        size_t &entry = last[four * 2654435761u >> 20], from = entry, length = 0;
        entry = i;
        while (from < i && i + length < block.size() && length < 255 &&
               block[from + length] == block[i + length])
            length++;
        if (length < 4) {
            packed += block[i++];
            continue;
        }
        packed += {'\0', (char)(i - from), (char)((i - from) >> 8), (char)length};
        i += length;
    }
    return packed;
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[blocks]");
    size_t blocks = args.number(0, 400), read = 0;
    std::string text = make_text(4 * BLOCK);
    uint64_t bytes = 0, sum = 0;
    Stopwatch watch;
    auto read_block = [&](tbb::flow_control &control) {
        if (read == blocks)
            control.stop();
        return std::string_view(text).substr(read++ % 4 * BLOCK, BLOCK);
    };
    auto write_block = [&](const std::string &packed) {
        bytes += packed.size();
        for (unsigned char c : packed)
            sum = sum * 31 + c;
    };
#ifndef MENDED
    auto mode = tbb::filter_mode::serial_in_order;
#else
    auto mode = tbb::filter_mode::parallel;
#endif
    tbb::parallel_pipeline(
        8, tbb::make_filter<void, std::string_view>(tbb::filter_mode::serial_in_order, read_block) &
               tbb::make_filter<std::string_view, std::string>(mode, &compress) &
               tbb::make_filter<std::string, void>(tbb::filter_mode::serial_in_order, write_block));
    double ms = watch.ms();
    std::printf("%zu bytes packed into %lu, checksum %016lx\n", blocks * BLOCK, bytes, sum);
    std::fprintf(stderr, "%.3f ms\n", ms);
    return 0;
}
