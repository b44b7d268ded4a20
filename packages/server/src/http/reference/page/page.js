/** Fetches the document of this service. Requests go to the origin of the page, because its security policy allows nothing else. */
async function fetchDocument() {
  const answer = await fetch('openapi.json');
  if (!answer.ok) throw new Error(`the service answered with ${answer.status}`);
  const here = new URL('.', window.location.href).href.replace(/\/$/, '');
  return { ...JSON.parse(await answer.text(), forTrying), servers: [{ url: here }] };
}

/**
 * Without this, Swagger UI would make example values of random letters from the pattern of a text. It would also fill in the id of a
 * device, and one click would then start something at a device that nobody chose.
 */
function forTrying(name, value) {
  if (name === 'pattern' && typeof value === 'string') return undefined;
  return value?.in === 'path' ? { ...value, example: undefined } : value;
}

function show(spec) {
  window.SwaggerUIBundle({
    domNode: document.getElementById('reference'),
    spec,
    deepLinking: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    // The key stays in memory, and no external service is asked whether the document is valid.
    persistAuthorization: false,
    validatorUrl: null,
  });
}

function showFailure({ message }) {
  document.getElementById('reference').textContent =
    `The reference could not be loaded: ${message}. Reload the page to try again.`;
}

fetchDocument().then(show).catch(showFailure);
