/**
 * Lists and objects within each other that data may have which comes from elsewhere: more than any object of Kubernetes has, and few enough
 * for all that walks data by recursion, however much of the stack is in use already.
 */
export const maxNesting = 200;
