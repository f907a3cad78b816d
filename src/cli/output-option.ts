/** `-o`: how an answer is printed; text is for people, the others for programs. */
export const outputOption = {
  value: 'FORMAT',
  short: 'o',
  summary: 'how the answer is printed',
  choices: ['text', 'json', 'yaml'],
  default: 'text',
} as const;
