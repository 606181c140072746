"""perf's samples as collapsed stacks, in async-profiler's spelling and of the load alone."""

from profiles.convert.perf_stacks import samples

PRINTED = """\
mariadbd  1795262067.500000001:
\tffffffff82203249 _raw_spin_unlock ([kernel.kallsyms])
\t          7445b8 handle_accepted_socket (/x/bin/mariadbd)
\t           2724a __libc_start_call_main (/usr/lib/libc.so.6)

con worker  1795262068.250000000:
\t            1234 Item_func::val int (/x/bin/mariadbd)
\t7ffc0001 __vdso_clock_gettime ([vdso])

"""


def test_stacks_begin_at_the_root_and_mark_the_kernel():
    (first, second) = samples(PRINTED.splitlines())
    assert first == (
        1795262067.500000001,
        ["mariadbd", "__libc_start_call_main", "handle_accepted_socket", "_raw_spin_unlock_[k]"],
    )
    assert second[1] == ["con worker", "__vdso_clock_gettime", "Item_func::val_int"]


def test_a_sample_without_frames_is_left_out():
    assert list(samples(["mariadbd  1.5: ", ""])) == []
