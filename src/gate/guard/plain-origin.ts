/** `default-path origin PATH` as templates write it; the path is the second group. Of several lines: one of them. */
export const plainOrigin = /^([ \t]*default-path[ \t]+origin[ \t]+)([^\s"'\\#$]+)[ \t]*$/m;
