import type * as english from '../en/start.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('fr');

export const start: typeof english.start = {
  title: 'Premiers pas',
  notice: 'Tous les appareils ici sont simulés.',
  noticeMore: 'Raccorder les vôtres ou quitter la démo',
  dismiss: 'Ne plus afficher',
  historyBeingWritten: (count, of) =>
    plural(of, {
      one: 'L’historique de l’appareil est encore en cours d’écriture.',
      other: `L’historique de ${count} des # appareils est encore en cours d’écriture.`,
    }),
  simulated: 'Ce qui est simulé',
  none: 'Il n’y a aucun appareil simulé.',
  simulatedCount: (count) =>
    `${count === 1 ? 'Un appareil est simulé : il porte' : `${count} appareils sont simulés : ils portent`} l’étiquette « simulated ». Rien de ce qui y bouge n’est réel ; leurs alertes, commandes et historiques sont inventés.`,
  showThem: 'Afficher les appareils simulés',
  own: (count) => plural(count, { one: '# appareil à vous.', other: '# appareils à vous.' }),
  noOwn: 'Vous n’avez encore aucun appareil à vous.',
  otherClocks: (service, silos) =>
    `Le service suit l’heure de ${service}, vos silos celle de ${silos}. Ce qui n’appartient à aucun silo, et les lieux dont les silos n’indiquent pas de fuseau horaire, suivent le service : le réglage GRANARY_TIME_ZONE le change.`,
  attach: 'Raccorder le premier appareil',
  needsAdmin:
    'Il faut le droit d’administrer les appareils ; demandez à qui l’a, ou connectez-vous avec une telle clé.',
  link: 'Il parle MQTT ou HTTP',
  linkText:
    'Enregistrez l’appareil : son nom d’utilisateur, son secret et une ligne qui envoie une première mesure sont affichés une seule fois. Par HTTP, un programme envoie les mesures avec une clé au droit « ingest ».',
  protocol: 'Le protocole',
  bridge: 'Il parle autre chose',
  bridgeText:
    'Une passerelle lit les appareils d’autres fabricants par Modbus, LoRaWAN, NMEA, MQTT et HTTP. Cette commande cherche des appareils, et la page des passerelles les ajoute :',
  bridgeCommand: 'Chercher des appareils',
  csv: 'Il y en a beaucoup',
  csvText: 'Un fichier CSV avec un appareil par ligne en enregistre jusqu’à 10 000 à la fois, tous ou aucun.',
  leave: 'Quitter la démo',
  leaveText:
    'Cette commande supprime les appareils simulés avec tous leurs enregistrements, et aucun autre. Ce qui y est en cours est arrêté avant, et la démo ne revient pas au prochain démarrage. Dans une copie du dépôt, commencez par « npx ».',
  leaveCommand: 'Supprimer la démo',
};
