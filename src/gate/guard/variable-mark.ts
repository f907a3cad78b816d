/** Stands in words for the `$` of a variable of the environment. It is of a private plane: no text has it for another reason. */
export const variableMark = '\uE000';
