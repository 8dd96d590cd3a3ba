# executed.sh - a part of run.sh: what this run decided, and another may decide otherwise.

# ---- the order of messages and items ----

flow='tasks=200 invocations=200 on=100 work=900 span=320 longest=5 elapsed=500 sleep=90'
node='construct=flow::function_node'
grain limited $flow $node ordered='flow graph node with a concurrency limit above 1'
has executed-order-upper "with tasks like these, and messages or items in this run's order" \
    limited.txt
has executed-order-row 'flow::function_node +$' limited.txt
has_words executed-order-marks limited.txt 'So are the spans of rows without a mark[.] What is on' \
    'the critical path is that of this run, as executed'
json executed-order-json '.sites[] | select(.construct == "flow::function_node") | .certainty' \
    '{"work_ns":"exact","span_ns":"as executed","parallelism":"as executed"}' limited.prof
# the order belongs to the constructs that have it
grain other $flow construct=task_group ordered='flow graph node with a concurrency limit above 1'
has_not executed-other-row 'task_group +$' other.txt
grain pipeline $flow construct=parallel_pipeline \
    ordered='parallel_pipeline with a serial_out_of_order filter'
has executed-pipeline-row 'parallel_pipeline +$' pipeline.txt
grain closed $flow $node
has_not executed-none-row 'flow::function_node +$' closed.txt

# ---- the shares of threads, beside chunks ----

# Of 700 ms, 25 equal chunks of a dynamic loop have 100; a thread has 442 of the rest in one strand.
region='construct=parallel runtime=openmp flags=4 tasks=32 invocations=1 on=1 threads=2 busiest=70
    work=718 span=521 longest=442 elapsed=540 sleep=300'
grain beside $region handed=25 handed-work=100 handed-longest=4.2
json executed-beside-mean \
    '.sites[] | select(.construct == "parallel") | [.tasks_of_mean, .mean_task_ns, .handed_out]' \
    '[25,4000000,{"chunks":25,"work_ns":100000000,"longest_ns":4200000}]' beside.prof
has executed-beside-cell '25  4.00 ms' beside.txt
