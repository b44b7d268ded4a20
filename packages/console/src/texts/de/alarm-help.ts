import type * as english from '../en/alarm-help.ts';

export const alarmHelp: typeof english.alarmHelp = {
  title: 'Was zu tun ist',
  cause: 'Ursache',
  consequence: 'Wenn nichts geschieht',
  action: 'Maßnahme',
  types: {
    low_level: {
      cause: 'Das Silo ist bis zur Leermeldung entleert.',
      consequence: 'Beim jetzigen Verbrauch ist es bald leer.',
      action: 'Bestellen oder befüllen; die Vorhersage sagt, bis wann.',
    },
    high_level: {
      cause: 'Das Silo ist bis zur Vollmeldung gefüllt.',
      consequence: 'Mehr Material kann überlaufen oder auf das Dach drücken.',
      action: 'Nichts mehr einfüllen; vor der nächsten Lieferung entnehmen.',
    },
    critical_level: {
      cause: 'Das Silo ist fast leer.',
      consequence: 'Tiere oder Maschinen können heute ohne Futter sein.',
      action: 'Sofort Material bringen oder auf ein anderes Silo umstellen.',
    },
    sensor_stale: {
      cause: 'Ein Sensor hat länger als vorgesehen nichts gesendet.',
      consequence: 'Sein letzter Wert stimmt vielleicht nicht mehr; Alarme, die ihn brauchen, wirken nicht.',
      action: 'Sensor, Kabel und Versorgung prüfen; den Wert vor Ort ablesen.',
    },
    sensor_fault: {
      cause: 'Ein Sensor sendet Werte, die nicht stimmen können.',
      consequence: 'Seine Werte werden nicht verwendet; Füllstand und Alarme beruhen auf älteren.',
      action: 'Sensor und Kabel prüfen; kalibrieren oder ersetzen.',
    },
    sensor_threshold: {
      cause: 'Ein Wert liegt jenseits der Grenze einer Regel dieses Betriebs.',
      consequence: 'Wofür die Regel gemacht ist, sagt ihre Meldung.',
      action: 'Tun, was die Regel sagt, oder ihre Grenze berichtigen.',
    },
    device_offline: {
      cause: 'Das Gerät ist nicht verbunden.',
      consequence: 'Nichts ist von ihm bekannt, Starts sind nicht möglich; es bewegt sich vielleicht noch.',
      action: 'Strom und Netz prüfen. Bewegt es sich vielleicht, vor Ort anhalten.',
    },
    readings_rejected: {
      cause: 'Das Gerät ist verbunden, aber seine Messwerte werden abgelehnt.',
      consequence: 'Es sieht gesund aus, und seine Werte sind alt.',
      action: 'Die Seite seiner Verbindung nennt die Ursache; Uhr, Einheiten oder Sensoren berichtigen.',
    },
    clock_wrong: {
      cause: 'Die Uhr des Geräts geht falsch.',
      consequence: 'Seine Messwerte haben falsche Zeiten oder werden abgelehnt.',
      action: 'Die Uhr oder ihren Zeitserver stellen.',
    },
    duplicate_device: {
      cause: 'Zwei Clients verwenden die Kennung dieses Geräts.',
      consequence: 'Sie trennen einander; ein Befehl kann das falsche erreichen.',
      action: 'Das zweite anhand seiner Adresse suchen und ihm eigene Kennung und Geheimnis geben.',
    },
    operation_failed: {
      cause: 'Eine Befüllung oder Entnahme endete nicht wie verlangt.',
      consequence: 'Es wurde mehr oder weniger bewegt als geplant, oder nichts.',
      action: 'Silo und Förderer ansehen, bevor erneut gestartet wird.',
    },
    mass_imbalance: {
      cause: 'Die Waage zeigt eine andere Menge, als der Vorgang meldete.',
      consequence: 'Material kam anderswohin, oder Waage oder Meldung stimmen nicht.',
      action: 'Mit dem Behälter vergleichen; nach Verschüttetem suchen, die Waage prüfen.',
    },
    maintenance_due: {
      cause: 'Die geplante Wartung ist fällig.',
      consequence: 'Verschleiß wird nicht rechtzeitig gefunden.',
      action: 'Warten und eintragen, oder den Termin verschieben.',
    },
    low_battery: {
      cause: 'Der Akku des Fahrzeugs ist fast leer.',
      consequence: 'Es kommt von seiner Mission vielleicht nicht zurück.',
      action: 'Zur Basis zurückkehren lassen oder laden.',
    },
    geofence_breach: {
      cause: 'Das Fahrzeug ist außerhalb seiner Grenze.',
      consequence: 'Es kann auf Menschen, Tiere oder Straßen treffen.',
      action: 'Anhalten, sicherstellen, dass niemand nahe ist, und zurückholen.',
    },
    mission_failed: {
      cause: 'Eine Mission endete, bevor sie fertig war.',
      consequence: 'Ein Teil des Feldes wurde nicht erreicht; das Fahrzeug steht vielleicht draußen.',
      action: 'Nachsehen, wo das Fahrzeug ist und warum sie endete; den Rest neu planen.',
    },
    emergency_stop_unconfirmed: {
      cause: 'Ein Not-Halt wurde gesendet, und das Gerät hat ihn nicht bestätigt.',
      consequence: 'Es bewegt sich vielleicht noch.',
      action: 'Nicht nähern. Vor Ort mit seinem eigenen Not-Halt anhalten.',
    },
    predicted_empty: {
      cause: 'Das Silo ist voraussichtlich leer, bevor eine Lieferung kommen kann.',
      consequence: 'Ohne Bestellung steht es leer.',
      action: 'Jetzt bestellen; bestätigen, wenn bestellt ist, oder die Lieferung eintragen.',
    },
    no_flow: {
      cause: 'Material sollte fließen, und das Gewicht ändert sich nicht.',
      consequence: 'Der Auslauf ist verstopft, eine Brücke hat sich gebildet, oder die Schnecke läuft leer.',
      action: 'Den Förderer anhalten und den Auslauf ansehen; Brücken nur von außen lösen.',
    },
    unexplained_loss: {
      cause: 'Das Silo verliert Material, das kein Vorgang erklärt.',
      consequence: 'Material läuft aus, wird entnommen, oder die Waage wandert.',
      action: 'Auslauf und Förderer auf Lecks prüfen; mit den Entnahmen vergleichen.',
    },
    delivery_mismatch: {
      cause: 'Eine Lieferung wog anders, als ihr Lieferschein sagt.',
      consequence: 'Sie zahlen für nicht Geliefertes, oder der Schein gehört anderswohin.',
      action: 'Mit dem Lieferschein vergleichen und mit dem Lieferanten sprechen.',
    },
    sensor_suspect: {
      cause: 'Ein Sensor steht oder wandert.',
      consequence: 'Füllstand und Vorhersage können falsch sein, obwohl die Werte gut aussehen.',
      action: 'Den Sensor mit dem wirklichen Inhalt vergleichen; kalibrieren oder ersetzen.',
    },
    hot_spot: {
      cause: 'Ein Teil des Getreides erwärmt sich von selbst.',
      consequence: 'Es verdirbt und kann am Ende brennen.',
      action: 'Belüften oder umlagern und täglich beobachten; das Silo nicht betreten.',
    },
    storage_life: {
      cause: 'Das Getreide hat den größten Teil seiner sicheren Lagerzeit verbraucht.',
      consequence: 'Es verliert bald an Qualität.',
      action: 'Verkaufen, trocknen oder kühlen.',
    },
  },
};
