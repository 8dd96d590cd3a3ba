// tree_sum.cpp - TaskProf's figure 2 in TBB: a tree built serially, then summed in parallel down to
// BASE nodes. The serial creation is what limits its parallelism, and then freeing it; serial_base
// other than 0: subtrees of more nodes are created and freed in parallel.
#include <memory>
#include <tbb/task_group.h>
#include "common.h"
#include "libprof.h"

struct Node {
    long value, count;
    std::unique_ptr<Node> left, right;
};

static long BASE, SERIAL_BASE;

__attribute__((noinline)) static std::unique_ptr<Node> create_tree(long n)
{
    if (!n)
        return nullptr;
    auto node = std::make_unique<Node>();
    node->value = n % 13;
    node->count = n;
    if (SERIAL_BASE && n > SERIAL_BASE) {
        tbb::task_group group;
        group.run([&] { node->left = create_tree((n - 1) / 2); });
        node->right = create_tree(n - 1 - (n - 1) / 2);
        group.wait();
        return node;
    }
    node->left = create_tree((n - 1) / 2);
    node->right = create_tree(n - 1 - (n - 1) / 2);
    return node;
}

__attribute__((noinline)) static void free_tree(std::unique_ptr<Node> node)
{
    if (SERIAL_BASE && node && node->count > SERIAL_BASE) {
        tbb::task_group group;
        group.run([&] { free_tree(std::move(node->left)); });
        free_tree(std::move(node->right));
        group.wait();
    }
}

static long serial_tree_sum(const Node *n)
{
    return n ? n->value + serial_tree_sum(n->left.get()) + serial_tree_sum(n->right.get()) : 0;
}

static void compute_tree_sum(const Node *n, long *sum)
{
    if (!n || n->count <= BASE) {
        *sum = serial_tree_sum(n);
        return;
    }
    long left = 0, right = 0;
    tbb::task_group group;
    if (n->left)
        group.run([&] { compute_tree_sum(n->left.get(), &left); });
    if (n->right)
        group.run([&] { compute_tree_sum(n->right.get(), &right); });
    group.wait();
    *sum = n->value + left + right;
}

int main(int argc, char **argv)
{
    Arguments args(argc, argv, "[nodes] [base] [serial_base]");
    long n = args.number(0, 2000000);
    BASE = args.number(1, n / 2);
    SERIAL_BASE = args.number(2, 0);
    Stopwatch watch;
    std::unique_ptr<Node> root;
    {
        libprof_region region("create_tree");
        root = create_tree(n);
    }
    long sum = 0;
    tbb::task_group group;
    group.run([&] { compute_tree_sum(root.get(), &sum); });
    group.wait();
    double ms = watch.ms();
    std::printf("sum %ld %s\n", sum, sum == serial_tree_sum(root.get()) ? "correct" : "WRONG");
    std::fprintf(stderr, "%.3f ms\n", ms);
    libprof_region region("free_tree");
    free_tree(std::move(root));
}
