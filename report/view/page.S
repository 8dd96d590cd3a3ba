/* The halves of prof view's page (docs/VIEW.md). They are empty if prof was built without npm. */
    .section .rodata
    .globl view_head, view_head_size, view_tail, view_tail_size
    .balign 8
view_head_size: .quad head_end - view_head
view_tail_size: .quad tail_end - view_tail
view_head:
#ifdef VIEW
    .incbin "head.html"
#endif
head_end:
view_tail:
#ifdef VIEW
    .incbin "tail.html"
#endif
tail_end:
    .section .note.GNU-stack, "", %progbits
