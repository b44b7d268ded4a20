/** Libraries that are not part of the built files: this one is read as files. */
export const LIBRARIES_OUTSIDE: readonly string[] = ['swagger-ui-dist'];
