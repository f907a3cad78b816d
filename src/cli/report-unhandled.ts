import { config } from 'rxjs';

/** Has errors that no subscriber took told to `report`. A file of its own, since a bundle knows no names of a CommonJS module that is imported late. */
export function reportUnhandled(report: (error: unknown) => void): void {
  config.onUnhandledError = report;
}
