/**
 * Environment that a controller is started with, for the heap of the C library. glibc otherwise keeps one for each of the dozen threads of Node and V8, which at
 * 2,000 routes is up to 27 MiB of resident memory: two are enough for what threads take at the same time. And it lets buffers and V8's
 * compilers, after the first large one is gone, have their memory from these heaps, where small things that stay keep it from being given back. All of it
 * is read before the program's first line: at run time it comes too late.
 */
export const controllerEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '1048576',
} as const;
