import type * as english from '../en/shell.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('es');

export const shell: typeof english.shell = {
  viewFailed: (name) => `«${name}» no se puede mostrar por un error de esta página.`,
  restGoesOn:
    'Las alarmas, las paradas y las otras vistas siguen. Vuelva a intentarlo; si sigue así, avise a quien lleva el servicio.',
  thisView: 'Esta vista',
  sections: {
    overview: 'Resumen',
    alerts: 'Alertas',
    map: 'Mapa',
    operations: 'Operaciones',
    orders: 'Pedidos',
    administration: 'Gestión',
  },
  navigation: 'Secciones',
  skip: 'Ir al contenido',
  search: 'Buscar equipos',
  searchHint: 'Buscar (tecla /)',
  live: 'En directo',
  connecting: 'Conectando',
  notLiveSince: (time) => `Sin actualizar desde ${time}`,
  stateOf: (time) => `Estado de las ${time}, sin conexión`,
  notLiveMeans:
    'Todo lo de abajo es de ese momento. Se puede parar, pero no cambiar nada más. La página se conecta de nuevo por sí sola.',
  loading: 'Cargando',
  viewNotLoaded: 'No se pudo cargar esta vista.',
  facilities: (count) => plural(count, { one: '# finca', other: '# fincas' }),
  noAlerts: 'Ninguna alerta sin reconocer',
  alertsUnknown: 'No se sabe si hay alertas',
  alarmBar: 'Alarmas',
  goToDevice: 'Ir al equipo',
  movement: 'En movimiento',
  menu: 'Ajustes',
  signOut: 'Salir',
  theme: 'Aspecto',
  themes: { system: 'Como el dispositivo', light: 'Claro', dark: 'Oscuro' },
  language: 'Idioma',
  signedInWith: 'Ha entrado con la clave',
  person: 'Su nombre',
  personHint: 'Aparece en el registro de lo que hace.',
  palette: {
    title: 'Ir a o hacer',
    hint: 'Un equipo, una vista, descarga …',
    nothing: 'Nada coincide.',
    view: 'Vista',
    discharge: (name) => `Descarga: ${name}`,
    feed: (name) => `Llenado: ${name}`,
    acknowledge: (facility) => `Reconocer ${facility}`,
    waiting: (count) => plural(count, { one: '# alerta espera.', other: '# alertas esperan.' }),
  },
  apiReference: 'Referencia de la API',
};

export const wall: typeof english.wall = {
  empty: 'Aún no hay equipos.',
  of: (place, count) => `${place} de ${count}`,
};

export const session: typeof english.session = {
  title: 'Entrar',
  what: 'Lo que hay en sus silos, lo que se mueve y lo que le necesita.',
  otherWay: 'En la máquina del servicio, este comando muestra un enlace con el que entra:',
  key: 'Clave de API',
  keyHint: 'La clave que mostró el servicio en su primer arranque, o la que le dio un administrador.',
  login: 'Nombre de acceso',
  password: 'Contraseña',
  secondFactor: 'Código de su aplicación, o un código de recuperación',
  usePasskey: 'Entrar con una llave de acceso',
  noPasskey: 'No se eligió ninguna llave de acceso.',
  wrongLogin: 'El nombre o la contraseña no son correctos.',
  wrongLoginOrCode: 'La contraseña o el código no son correctos, o el código ya se usó.',
  usePassword: 'Usar nombre y contraseña',
  useKey: 'Usar una clave',
  welcome: 'Bienvenida',
  newPassword: 'Elija una contraseña',
  newPasswordHint: 'Al menos 15 caracteres, por ejemplo cuatro palabras que solo usted junta.',
  person: 'Su nombre',
  whoAreYou: '¿Quién es usted?',
  personHint: 'Aparece en el registro de lo que hace. Este navegador lo recuerda.',
  goOn: 'Continuar',
  notNow: 'Ahora no',
  submit: 'Entrar',
  signInWith: (name) => `Entrar con ${name}`,
  or: 'o',
  ended: 'Su sesión ha terminado. Vuelva a entrar.',
  codeUsed:
    'Este enlace ya se usó o es demasiado antiguo. Entre con una clave de API, o pida un enlace nuevo: granary console',
  unreachable: 'El servicio no responde. Esta página lo reintenta por sí sola.',
};
