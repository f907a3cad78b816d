/**
 * Environment that a controller is started with: glibc otherwise keeps a heap for each of the dozen threads of Node and V8, which at 2,000 routes
 * is up to 27 MiB of resident memory. Two are enough for what threads take at the same time. It is read before the program's first line: at run time it
 * comes too late.
 */
export const controllerEnvironment = { MALLOC_ARENA_MAX: '2' } as const;
