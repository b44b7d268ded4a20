import type * as english from '../en/shell.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('fr');

export const shell: typeof english.shell = {
  viewFailed: (name) => `« ${name} » ne peut pas être affiché à cause d’une erreur de cette page.`,
  restGoesOn:
    'Les alarmes, les arrêts et les autres vues continuent. Réessayez ; si cela dure, prévenez qui s’occupe du service.',
  thisView: 'Cette vue',
  sections: {
    overview: 'Aperçu',
    alerts: 'Alertes',
    map: 'Carte',
    operations: 'Opérations',
    orders: 'Commandes',
    administration: 'Gestion',
  },
  navigation: 'Rubriques',
  skip: 'Aller au contenu',
  search: 'Rechercher un appareil',
  searchHint: 'Rechercher (touche /)',
  live: 'En direct',
  connecting: 'Connexion',
  notLiveSince: (time) => `Pas à jour depuis ${time}`,
  stateOf: (time) => `État de ${time}, pas de connexion`,
  notLiveMeans:
    'Tout ce qui suit date de ce moment. Un arrêt est possible, rien d’autre ne peut être modifié. La page se reconnecte d’elle-même.',
  loading: 'Chargement',
  viewNotLoaded: 'Cette vue n’a pas pu être chargée.',
  facilities: (count) => plural(count, { one: '# site', other: '# sites' }),
  noAlerts: 'Aucune alerte à acquitter',
  alertsUnknown: 'On ne sait pas s’il y a des alertes',
  alarmBar: 'Alarmes',
  goToDevice: 'Voir l’appareil',
  movement: 'En mouvement',
  menu: 'Réglages',
  signOut: 'Se déconnecter',
  theme: 'Apparence',
  themes: { system: 'Comme l’appareil', light: 'Clair', dark: 'Sombre' },
  language: 'Langue',
  signedInWith: 'Connecté avec la clé',
  person: 'Votre nom',
  personHint: 'Figure dans le journal de ce que vous faites.',
  palette: {
    title: 'Aller à ou faire',
    hint: 'Un appareil, une vue, vidange …',
    nothing: 'Rien ne correspond.',
    view: 'Vue',
    discharge: (name) => `Vidange : ${name}`,
    feed: (name) => `Remplissage : ${name}`,
    acknowledge: (facility) => `Acquitter ${facility}`,
    waiting: (count) => plural(count, { one: '# alerte attend.', other: '# alertes attendent.' }),
  },
  apiReference: 'Référence de l’API',
};

export const wall: typeof english.wall = {
  empty: 'Il n’y a pas encore d’appareils.',
  of: (place, count) => `${place} sur ${count}`,
};

export const session: typeof english.session = {
  title: 'Se connecter',
  what: 'Ce que contiennent vos silos, ce qui bouge, et ce qui a besoin de vous.',
  otherWay: 'Sur la machine du service, cette commande affiche un lien qui vous connecte :',
  key: 'Clé d’API',
  keyHint:
    'La clé affichée par le service au premier démarrage, ou celle que l’administrateur vous a donnée.',
  login: 'Nom de connexion',
  password: 'Mot de passe',
  secondFactor: 'Code de votre application, ou code de secours',
  usePasskey: 'Se connecter avec une clé d’accès',
  noPasskey: 'Aucune clé d’accès n’a été choisie.',
  wrongLogin: 'Le nom ou le mot de passe est incorrect.',
  wrongLoginOrCode: 'Le mot de passe ou le code est incorrect, ou le code a déjà servi.',
  usePassword: 'Utiliser nom et mot de passe',
  useKey: 'Utiliser une clé',
  welcome: 'Bienvenue',
  newPassword: 'Choisissez un mot de passe',
  newPasswordHint: 'Au moins 15 caractères, par exemple quatre mots que vous seul réunissez.',
  person: 'Votre nom',
  whoAreYou: 'Qui êtes-vous ?',
  personHint: 'Figure dans le journal de ce que vous faites. Ce navigateur s’en souvient.',
  goOn: 'Continuer',
  notNow: 'Pas maintenant',
  submit: 'Se connecter',
  signInWith: (name) => `Se connecter avec ${name}`,
  or: 'ou',
  ended: 'Votre session est terminée. Reconnectez-vous.',
  codeUsed:
    'Ce lien a déjà servi ou est trop ancien. Connectez-vous avec une clé d’API, ou demandez un nouveau lien : granary console',
  unreachable: 'Le service ne répond pas. Cette page réessaie d’elle-même.',
};
