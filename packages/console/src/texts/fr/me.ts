import type * as english from '../en/me.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('fr');

export const me: typeof english.me = {
  display: 'Langue et unités',
  displayMeans:
    'Les unités vous appartiennent et valent partout où vous vous connectez. Ce qui est enregistré ne change pas, et les programmes ne voient aucune différence. La langue et l’apparence appartiennent à ce navigateur.',
  unitKinds: { mass: 'Poids', temperature: 'Température', speed: 'Vitesse' },
  units: {
    metric: 'kg, dès 1 000 kg t',
    kg: 'kg',
    t: 't',
    lb: 'lb (livres)',
    short_ton: 'tonnes courtes (2 000 lb)',
    bushel: 'boisseaux du produit ; lb si son grain est inconnu',
    celsius: '°C',
    fahrenheit: '°F',
    'm/s': 'm/s',
    'km/h': 'km/h',
    mph: 'mph',
  },
  title: 'Ma page',
  keyMeans: 'Vous êtes connecté avec une clé d’API, que plusieurs personnes peuvent partager.',
  about: 'À mon sujet',
  email: 'Adresse e-mail',
  wrongSecrets: 'Saisies fausses à votre nom',
  wrongSecretsMean:
    'Ces 30 derniers jours, quelqu’un les a saisies à votre nom et elles ont été refusées. Si ce n’était pas vous : vérifiez les navigateurs ci-dessous et changez ce qu’un autre peut connaître.',
  wrongWhat: 'Quoi',
  wrongFrom: 'Depuis',
  wrongCount: 'Combien',
  wrongLast: 'La dernière',
  wrongKinds: { password: 'Mot de passe', code: 'Code du second facteur', pin: 'PIN' },
  wrongNotice: (number) =>
    `Mots de passe, codes ou PIN faux saisis à votre nom : ${number}. Ils ont été refusés.`,
  wrongShow: 'Afficher',
  wrongSeen: 'Vu',
  sessions: 'Connecté sur',
  sessionsMean: 'Navigateurs où vous êtes connecté. Fermez ceux que vous ne connaissez pas.',
  browser: 'Navigateur',
  thisBrowser: 'Ce navigateur',
  unknownBrowser: 'Navigateur inconnu',
  address: 'Adresse',
  since: 'Connecté depuis',
  lastUsed: 'Utilisé',
  endsAt: 'Expire',
  actions: 'Actions',
  end: 'Fermer',
  endOf: (browser) => `Fermer ${browser}`,
  endMeans: 'Ce navigateur est déconnecté en une seconde.',
  endOthers: 'Fermer tous les autres',
  endOthersMeans: 'Tous les autres navigateurs sont déconnectés en une seconde. Celui-ci reste connecté.',
  password: 'Mot de passe',
  noPassword: 'Vous vous connectez sans mot de passe.',
  changePassword: 'Changer le mot de passe',
  changeMeans: 'Tous les autres navigateurs sont déconnectés, et les liens ouverts cessent de marcher.',
  currentPassword: 'Mot de passe actuel',
  newPassword: 'Nouveau mot de passe',
  shortPasswordHint: 'Au moins 8 caractères, car un second facteur est configuré.',
  changed: 'Le mot de passe est changé.',
  keys: 'Mes clés',
  keysMean:
    'Avec une clé, un programme agit pour vous : il peut au plus ce que vous pouvez à ce moment, et ce qu’il fait est noté sous votre nom. Elle finit avec vous.',
  newKey: 'Nouvelle clé',
  keyFor: 'Pour quoi',
  keyForHint: 'Par exemple le programme ou l’ordinateur qui s’en sert.',
  key: 'Clé',
  keyOf: (name) => `Clé pour ${name}`,
  endKeyOf: (name) => `Révoquer la clé pour ${name}`,
  endKeyMeans: 'Les programmes qui s’en servent sont refusés en une seconde.',
  letIn: 'Laisser entrer cette commande ?',
  letInMeans: (host) =>
    `Une commande sur ${host} demande une de vos clés. Elle ne marche que sur cet ordinateur. Si vous ne venez pas de saisir granary login, fermez cette page.`,
  letInNow: 'La laisser entrer',
  letInNotPerson:
    'Une commande reçoit la clé d’une personne. Déconnectez-vous, et connectez-vous avec votre nom.',
  factor: 'Second facteur',
  factorMeans:
    'Avec un second facteur, le mot de passe seul ne suffit à personne : la connexion demande aussi le code qu’une application de votre téléphone affiche. Un mot de passe de 8 caractères suffit alors.',
  factorIsOn: (left) =>
    plural(left, {
      one: 'Il est configuré. Il reste # code de secours.',
      other: 'Il est configuré. Il reste # codes de secours.',
    }),
  setUpFactor: 'Configurer le second facteur',
  renewFactor: 'Configurer à nouveau',
  scan: 'Lisez ceci avec une application d’authentification, ou saisissez-y le secret.',
  factorQrCode: 'Le secret, pour la caméra d’une application d’authentification',
  secret: 'Mot secret',
  code: 'Code affiché par l’application',
  recoveryCodes: 'Codes de secours, chacun remplace une fois un code',
  recoveryMeans: 'Gardez-les là où vous les trouvez sans votre téléphone.',
  removeFactor: 'Supprimer le second facteur',
  removeMeans: 'Dès lors, le mot de passe seul suffit pour se connecter. Il doit avoir 15 caractères.',
  identity: 'Connexion unique',
  identityMeans: (provider) =>
    `Avec une identité de ${provider}, vous vous connectez sans mot de passe de ce service.`,
  isLinked: (provider) => `Vous pouvez vous connecter avec ${provider}.`,
  linkIdentity: (provider) => `Associer ${provider}`,
  linkMeans: (provider) =>
    `La page de ${provider} s’ouvre. L’identité avec laquelle vous vous y connectez vous ouvrira dès lors l’accès ici.`,
  linkNow: 'Continuer',
  unlinkIdentity: (provider) => `Dissocier ${provider}`,
  unlinkMeans: (provider) =>
    `${provider} ne vous ouvre plus l’accès. Les droits venus de ses groupes prennent fin, de même que les sessions ouvertes avec lui. Vous vous connectez par mot de passe ou par clé d’accès.`,
  passkeys: 'Clés d’accès',
  passkeysMean:
    'Avec une clé d’accès, vous vous connectez par le doigt, le visage ou le code PIN de votre appareil, sans nom ni mot de passe.',
  passkeysNeedPassword:
    'Qui se connecte seulement par le fournisseur d’identité n’a pas de clé d’accès ici : elle vous laisserait entrer après que le fournisseur y a mis fin. Demandez un lien à l’administration et choisissez-y un mot de passe.',
  passkeyObstacles: {
    address:
      'Les clés d’accès vont avec un nom. À cette adresse, qui est un nombre, il ne peut y en avoir : ouvrez le service par son nom.',
    encryption:
      'Les navigateurs ne permettent les clés d’accès qu’en HTTPS. Demandez-le à qui exploite le service.',
    browser: 'Ce navigateur ne connaît pas les clés d’accès.',
  },
  addPasskey: 'Ajouter une clé d’accès',
  addPasskeyMeans: 'Votre navigateur demande où garder la clé d’accès.',
  passkeyName: 'Nom de la clé d’accès',
  addedAt: 'Ajoutée',
  remove: 'Supprimer',
  removePasskeyOf: (name) => `Supprimer la clé d’accès ${name}`,
  removePasskeyMeans: 'Elle n’ouvre plus l’accès à personne. Supprimez-la aussi sur l’appareil.',
};
