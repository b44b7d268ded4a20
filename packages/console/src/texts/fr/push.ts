import type { Texts } from '../en/texts.ts';

export const push: Texts['push'] = {
  title: 'Notifications sur cet appareil',
  means:
    'Les alertes et les opérations terminées arrivent sur cet appareil, même quand la page est fermée. L’envoi est chiffré ; le service push du navigateur ne peut pas le lire.',
  obstacles: {
    encryption:
      'Les navigateurs ne le permettent qu’avec HTTPS. Demandez-le à ceux qui exploitent le service.',
    install:
      'Sur un iPhone ou un iPad, ajoutez d’abord cette page à l’écran d’accueil (Partager, Sur l’écran d’accueil) et ouvrez-la de là.',
    denied:
      'Ce navigateur refuse les notifications de cette page. Autorisez-les dans les réglages du navigateur pour cette adresse.',
    browser: 'Ce navigateur ne connaît pas Web Push.',
    service: 'Le service push du navigateur n’est pas joignable d’ici.',
  },
  turnOn: 'Activer',
  turnOff: 'Désactiver',
  isOn: 'Activées : les messages arrivent sur cet appareil.',
  isOff: 'Désactivées : aucun message n’arrive sur cet appareil.',
  test: 'Envoyer un test',
  tested: 'Un test est en route vers tous vos appareils.',
  settings: 'Que signaler',
  severityMin: 'Alertes à partir de cette gravité',
  facilities: 'Seulement ces sites',
  operations: 'Opérations terminées',
  operationsOf: { none: 'Aucune', own: 'Celles que j’ai lancées', all: 'Toutes' },
  resolved: 'Signaler aussi la fin d’une alerte',
  quietMeans: (zone) =>
    `À l’heure de ${zone}. Les opérations qui se terminent alors ne sont pas signalées ; les alertes attendent.`,
  devices: 'Appareils qui reçoivent les messages',
  since: 'Depuis',
  end: 'Arrêter',
  endOf: (browser) => `Arrêter les notifications sur ${browser}`,
  endMeans: 'Plus aucun message n’arrive sur cet appareil.',
  words: {
    over: 'Terminée',
    severity_raised: 'Plus grave',
    present_again: 'De nouveau',
    unshelved: 'Plus mise de côté',
    not_acknowledged: 'Non acquittée',
    completed: 'Achevée',
    stopped: 'Arrêtée',
    failed: 'Échouée',
    several: 'Alertes',
    test: 'Les messages arrivent sur cet appareil.',
  },
};
