declare module 'swagger-ui-dist/absolute-path.js' {
  /** The folder of its files; importing the package itself would load the whole script of the page. */
  const folderOfSwaggerUi: () => string;
  export = folderOfSwaggerUi;
}
