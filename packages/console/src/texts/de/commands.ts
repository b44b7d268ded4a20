import type { commands as english } from '../en/commands.ts';

export const commands: typeof english = {
  title: 'Befehle',
  none: 'Es wurde noch kein Befehl gegeben.',
  names: {
    move_to_coordinates: 'Zu einem Ort fahren',
    hold: 'Anhalten',
    resume: 'Fortsetzen',
    return_to_base: 'Zur Basis zurückkehren',
    scan: 'Scannen',
    collect_sample: 'Probe nehmen',
    emergency_stop: 'Not-Halt',
    release_emergency_stop: 'Freigabe des Not-Halts',
  },
  consequences: {
    hold: 'Das Fahrzeug hält an und bleibt, wo es ist.',
    resume: 'Das Fahrzeug setzt fort, was es vor dem Anhalten getan hat: Es wird sich bewegen.',
    return_to_base: 'Das Fahrzeug beendet, was es tut, und kehrt zur Basis zurück: Es wird sich bewegen.',
    scan: 'Das Fahrzeug scannt dort, wo es ist.',
    collect_sample: 'Das Fahrzeug nimmt dort, wo es ist, eine Probe.',
  },
  stopUnconfirmed: 'Not-Halt verlangt. Das Gerät hat noch nicht bestätigt, dass es steht.',
  standsStill: 'Not-Halt in Kraft. Das Gerät hat bestätigt, dass es steht.',
  stopInForce: 'Befehle und Missionen werden abgelehnt, bis der Not-Halt freigegeben ist.',
  release: 'Not-Halt freigeben',
  releaseMeans:
    'Sehen Sie zuerst nach, dass niemand beim Fahrzeug ist. Die Freigabe bewegt nichts, aber Befehle und Missionen können das Fahrzeug danach wieder bewegen.',
};
