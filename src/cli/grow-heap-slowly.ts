import v8 from 'node:v8';

/**
 * For the controller: the old generation grows by 30 % of what is alive before it is collected, where V8 lets it grow to a multiple and keeps
 * the pages. What a controller holds, objects and text, lives long and is marked by helper threads; what goes is hardly ever compacted else.
 */
export function growHeapSlowly(): void {
  v8.setFlagsFromString('--heap-growing-percent=30');
}
