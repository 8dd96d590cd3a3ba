// cause: serial place=thumbnails,shrink
// The future of std::async is discarded: its destructor waits, so no two calls run at a time.
#include <cmath>
#include <cstdio>
#include <future>
#include <vector>

static void shrink(double &image, int id) {
    for (int i = 0; i < 700000; i++)
        image = image * 0.999 + std::sqrt(i * 0.002 + id);
}

__attribute__((noinline)) static void thumbnails(std::vector<double> &images) {
    for (size_t i = 0; i < images.size(); i++)
        (void)std::async(std::launch::async, [&images, i] { shrink(images[i], int(i)); });
}

int main() {
    std::vector<double> images(200);
    thumbnails(images);
    std::printf("%.6g\n", images[7]);
}
