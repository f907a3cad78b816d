import type { Course, ReadyWork } from './choose-course.ts';

/** What is sent to the worker before it is reloaded, if it is. */
export function sentBy(course: Course): ReadyWork | undefined {
  if (course.kind === 'operations') return course.work;
  return course.kind === 'scheduled' ? course.inPlace : undefined;
}
