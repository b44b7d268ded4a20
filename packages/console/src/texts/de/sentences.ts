import type { SentenceCode } from '@granary/contract/sentences/english';
import type { WORDS } from '@granary/contract/sentences/words';

/** The template of every code; what the templates can contain is said in `contract/src/sentences/sentence.ts`. */
export const SENTENCES: Readonly<Record<SentenceCode, string>> = {
  // Alerts
  level_below: 'Füllstand {level:percent}, an oder unter der Grenze von {limit:number} %',
  level_above: 'Füllstand {level:percent}, an oder über der Grenze von {limit:number} %',
  battery_below: 'Akku {level:percent}, an oder unter der Grenze von {limit:number} %',
  sensor_above: '{sensor:Sensor} {value:quantity}, an oder über der Grenze von {limit:quantity}',
  sensor_below: '{sensor:Sensor} {value:quantity}, an oder unter der Grenze von {limit:quantity}',
  sensor_above_named:
    '{name:text}: {sensor:sensor} {value:quantity}, an oder über der Grenze von {limit:quantity}',
  sensor_below_named:
    '{name:text}: {sensor:sensor} {value:quantity}, an oder unter der Grenze von {limit:quantity}',
  sensors_silent: 'Das Gerät ist verbunden, aber es fehlen Werte: {sensors:list}[, {more:number?} weitere]',
  sensors_implausible: '{sensors:Clauses}[; {more:number?} weitere]',
  went_offline: 'Das Gerät ist nicht verbunden',
  went_offline_during: 'Das Gerät ist während {job:job} nicht verbunden',
  readings_refused:
    'Seine Messwerte werden abgelehnt: {cause:part} ({messages:number} <messages:Nachricht|Nachrichten> in Folge seit {since:time})',
  readings_partly_refused:
    'Ein Teil seiner Messwerte wird abgelehnt: {cause:part} ({messages:number} <messages:Nachricht|Nachrichten> in Folge seit {since:time})',
  clock_ahead_or_late:
    'Seine Uhr geht {offset:duration} vor, oder es sendet seine Messwerte {offset:duration} zu spät: Sie gelten als alt, deshalb wird kein Füllstand und keine Grenze überwacht',
  clock_behind_or_late:
    'Seine Uhr geht {offset:duration} nach, oder es sendet seine Messwerte {offset:duration} zu spät: Sie gelten als alt, deshalb wird kein Füllstand und keine Grenze überwacht',
  two_clients:
    'Zwei Programme melden sich als dieses Gerät an und verdrängen einander: {takeovers:number} Mal in einer Minute, von {addresses:names}',
  two_clients_same_address:
    'Zwei Programme melden sich als dieses Gerät an und verdrängen einander: {takeovers:number} Mal in einer Minute, alle von {address:text}',
  two_clients_or_bad_link:
    'Zwei Programme melden sich als dieses Gerät an, oder seine Verbindung bricht immer wieder ab: {takeovers:number} neue Verbindungen in einer Minute; ihre Adressen kennt nur der Broker',
  maintenance_overdue: 'Die Wartung war am {due:time} fällig',
  operation_stalled: '{operation:Part} ist[ bei {moved:quantity?}] zum Stillstand gekommen: {why:part}',
  operation_overran: '{operation:Part} hat[ bei {moved:quantity?}] nicht rechtzeitig geendet: {why:part}',
  operation_refused: '{operation:Part} wurde vom Gerät abgelehnt, nichts wurde bewegt: {why:part}',
  operation_outcome_unknown: '{operation:Part} endete ohne bekanntes Ergebnis: {why:part}',
  operation_declared_ended: '{operation:Part} wurde {why:part}',
  operation_broke_off: '{operation:Part} ist[ bei {moved:quantity?}] gescheitert: {why:part}',
  operation_stop_unconfirmed:
    '{operation:Part}: Das Gerät hat den Stopp nicht bestätigt und bewegt vielleicht noch etwas; der Stopp wird wiederholt, bis es ihn bestätigt',
  operation_unasked: 'Ein Vorgang wurde am Gerät begonnen, nicht über diesen Dienst',
  feed_unasked: 'Eine Befüllung wurde am Gerät begonnen, nicht über diesen Dienst',
  discharge_unasked: 'Eine Entnahme wurde am Gerät begonnen, nicht über diesen Dienst',
  operation_imbalance:
    '{operation:Part}: Das Gerät meldete {reported:quantity}, die Waage zeigt {measured:quantity}, ein Unterschied von {difference:number} %',
  outside_fence: 'Das Gerät ist bei {place:place} außerhalb seines Geofence; es soll {action:failsafe}',
  mission_ended_badly: '{mission:mission} {status:missionStatus}[: {why:part?}]',
  mission_start_unanswered:
    '{mission:mission} sollte beginnen, und das Gerät sagt nicht, ob sie begonnen hat',
  mission_pause_unconfirmed:
    '{mission:mission}: Das Gerät hat die Pause nicht bestätigt und fährt vielleicht noch; es wird weiter dazu aufgefordert, bis es sie bestätigt',
  mission_end_unconfirmed:
    '{mission:mission}: Das Gerät hat das Ende nicht bestätigt und fährt vielleicht noch; es wird weiter dazu aufgefordert, bis es das Ende bestätigt',
  stop_unconfirmed:
    'Das Gerät hat den Not-Halt nicht bestätigt und bewegt sich vielleicht noch; der Not-Halt wird wiederholt, bis es ihn bestätigt[; seine letzte Antwort: {answer:part?}]',
  may_run_empty: 'Kann in {left:duration} leer sein, und davor ist keine Lieferung geplant',
  nothing_usable_left: 'Es ist nichts Nutzbares mehr da',

  // Operations
  start_given_out:
    'Der Start wurde um {started:time} ausgegeben; die Bestätigung des Geräts wird bis {until:time} erwartet.',
  operation_acknowledged:
    'Das Gerät hat den Start bestätigt und noch keinen Fortschritt gemeldet; das Ende wird bis {until:time} erwartet, danach wird gestoppt.',
  operation_moving:
    'Das Gerät hat {moved:quantity} von {target:quantity} gemeldet; das Ende wird bis {until:time} erwartet, danach wird gestoppt.',
  operation_moving_unasked:
    'Das Gerät hat {moved:quantity} gemeldet; begonnen wurde am Gerät, nicht über diesen Dienst.',
  start_unacknowledged:
    'Das Gerät hat den Start nicht bestätigt und kann bis {until:time} noch beginnen; es wird gefragt, bis es antwortet, und wenn es den Vorgang danach nicht kennt, ist er vorbei.',
  operation_unheard:
    'Seit {heard:time} wurde nichts mehr gemeldet, der Vorgang läuft vielleicht noch[, nach seiner eigenen Grenze längstens bis {limit:time?}]; das Gerät wird gefragt, sobald es verbunden ist.',
  stop_requested:
    'Um {requested:time} wurde ein Stopp verlangt; er wird wiederholt, bis das Gerät ihn bestätigt[ oder nach {decided:time?} sagt, dass es den Vorgang nicht kennt].',
  stopping_because:
    'Der Vorgang wird gestoppt: {why:part}; der Stopp wird wiederholt, bis das Gerät ihn bestätigt[ oder nach {decided:time?} sagt, dass es den Vorgang nicht kennt].',
  stopping_moved_again:
    'Um {again:time} wurde nach dem Ende wieder etwas bewegt; der Stopp wird wiederholt, bis das Gerät ihn bestätigt[ oder nach {decided:time?} sagt, dass es den Vorgang nicht kennt].',
  stopping_moved_after_declared:
    'Um {again:time} wurde wieder etwas bewegt, nachdem {person:text} den Vorgang um {declared:time} für beendet erklärt hatte; der Stopp wird wiederholt, bis das Gerät ihn bestätigt[ oder nach {decided:time?} sagt, dass es den Vorgang nicht kennt].',
  operation_completed:
    'Das Gerät hat den Vorgang als fertig gemeldet, mit {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_stopped:
    'Das Gerät hat den Stopp bestätigt, mit {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_not_running:
    'Das Gerät kennt den Vorgang nicht, also läuft er nicht; {reported:part}; {scale:part}.',
  operation_start_refused: 'Das Gerät hat den Start abgelehnt, nichts wurde bewegt: {why:part}.',
  operation_not_sent: '{why:Part}.',
  operation_failed_unknown: 'Gescheitert: {why:part}.',
  operation_failed_unreported: 'Gescheitert: {why:part}; {reported:part}; {scale:part}.',
  operation_failed:
    'Gescheitert: {why:part}; das Gerät hat {moved:quantity} gemeldet[; {scale:part?}][; {before:part?}].',
  operation_end_declared: 'Der Vorgang wurde {why:part}; {reported:part}[; {scale:part?}].',
  stop_sent_not_stored:
    'Der Stopp wurde an das Gerät gesendet; er konnte noch nicht gespeichert werden und wird wiederholt, bis das gelingt.',
  stop_waits_not_stored:
    'Das Gerät ist nicht verbunden, der Stopp wird gesendet, sobald es verbunden ist; er konnte noch nicht gespeichert werden und wird wiederholt, bis das gelingt.',

  // Steps of a trace
  feed_requested: 'Befüllung mit {amount:quantity}[ in {target:text?}], {rate:quantity}.',
  discharge_requested: 'Entnahme von {amount:quantity}[ in {target:text?}], {rate:quantity}.',
  start_checked:
    'Zugelassen[ bei {inside:quantity?} Inhalt]: Das Gerät darf höchstens {most:quantity} in {seconds:number} s bewegen.',
  start_sent: 'Der Start wurde gesendet, gültig bis {until:time}.',
  start_was_not_sent: '{why:Part}.',
  begun_at_device: 'Das Gerät hat einen Vorgang gemeldet, den es selbst begonnen hat.',
  device_confirmed: 'Das Gerät hat bestätigt, dass es den Vorgang hat.',
  last_report: 'Letzte Meldung des Geräts: {moved:quantity} bewegt.',
  last_report_unknown: 'Das Gerät hat gemeldet, dass es den Vorgang nicht kennt.',
  report_requested: 'Der Dienst hat das Gerät um eine Meldung gebeten.',
  stop_was_requested: 'Ein Stopp wurde verlangt.',
  service_stops: 'Der Dienst stoppt: {why:part}.',
  service_stops_moved_again: 'Der Dienst stoppt: Nach dem Ende wurde wieder etwas bewegt.',
  stop_last_sent: 'Der Stopp wurde zuletzt an das Gerät gesendet.',
  weight_last_changed: 'Die Waage hat zuletzt eine Änderung des Gewichts gesehen.',
  scale_measured: 'Die Waage zeigt {moved:quantity} bewegt.',
  end_declared: '{person:text} hat nachgesehen und den Vorgang für beendet erklärt[: {reason:text?}].',

  job_on_offline_device: 'Das Gerät ist nicht verbunden, und auf ihm ist etwas im Gange.',

  // Commands
  command_queued: 'Wartet, bis sich das Gerät verbindet[, längstens bis {until:time?}].',
  command_sent: 'Gesendet; das Gerät hat noch nicht geantwortet und wird bis {until:time} gefragt.',
  command_executing: 'Das Gerät führt ihn aus; seine nächste Meldung wird bis {until:time} erwartet.',
  command_succeeded: 'Das Gerät hat gemeldet, dass er ausgeführt ist.',
  command_timed_out:
    'Das Ergebnis ist nicht bekannt: Das Gerät hat nicht geantwortet und wird bis {until:time} gefragt.',
  command_failed: 'Gescheitert[: {why:part?}].',
  command_rejected: 'Vom Gerät abgelehnt[: {why:part?}].',
  command_cancelled: 'Zurückgezogen[: {why:part?}].',
  command_expired: 'Nicht ausgeführt[: {why:part?}].',
  command_end_declared: 'Der Befehl wurde {why:part}.',
  emergency_stop_waits:
    'Das Gerät ist nicht verbunden; der Not-Halt wird gesendet, sobald es verbunden ist, und bis dahin weiß niemand, ob es steht.',
  emergency_stop_repeated:
    'Wird jede Sekunde wiederholt, bis das Gerät bestätigt, dass es steht[; seine letzte Antwort: {answer:part?}].',
  emergency_stop_confirmed:
    'Das Gerät hat bestätigt, dass es steht; es nimmt keine Bewegung an, bis jemand den Not-Halt freigibt.',
  emergency_stop_released: 'Das Gerät hat bestätigt, dass es steht; dieser Not-Halt ist nicht mehr in Kraft.',
  emergency_stop_ended: 'Ohne Bestätigung beendet[: {why:part?}].',
  emergency_stop_declared:
    'Der Not-Halt wurde {why:part}; er wird nicht mehr wiederholt und bleibt in Kraft, bis ihn jemand freigibt.',
  emergency_stop_declared_released: 'Der Not-Halt wurde {why:part}; er ist nicht mehr in Kraft.',

  // Missions
  mission_scheduled:
    'Beginnt um {start:time}, wenn das Gerät verbunden und frei ist; hat sie bis {until:time} nicht begonnen, gilt sie als verpasst.',
  mission_may_have_begun:
    'Das Gerät hat vielleicht begonnen und muss noch {request:missionRequest} bestätigen.',
  mission_told_to_start:
    'Das Gerät wurde um {told:time} zum Start aufgefordert und hat den Beginn nicht gemeldet; es wird alle paar Sekunden gefragt[; ohne Meldung gilt sie um {lost:time?} als verloren].',
  mission_sent: 'An das Gerät gesendet; seine Antwort wird bis {until:time} erwartet.',
  mission_accepted:
    'Das Gerät hat sie; es wird um {start:time} zum Start aufgefordert, oder sobald es verbunden und frei ist, längstens bis {until:time}.',
  mission_under_way:
    'Läuft, {reached:number} von {waypoints:number} <waypoints:Wegpunkt|Wegpunkten> erreicht[; das Gerät muss noch {request:missionRequest?} bestätigen][, bis {until:time?}].',
  mission_paused:
    'Pausiert, {reached:number} von {waypoints:number} <waypoints:Wegpunkt|Wegpunkten> erreicht[; das Gerät muss noch {request:missionRequest?} bestätigen][, bis {until:time?}].',
  mission_under_way_silent:
    'Lief zuletzt, {reached:number} von {waypoints:number} <waypoints:Wegpunkt|Wegpunkten> erreicht; seit {since:time} wurde nichts gehört, und dann soll das Gerät {action:failsafe}[; ohne Meldung gilt sie um {lost:time?} als verloren].',
  mission_paused_silent:
    'War zuletzt pausiert, {reached:number} von {waypoints:number} <waypoints:Wegpunkt|Wegpunkten> erreicht; seit {since:time} wurde nichts gehört, und dann soll das Gerät {action:failsafe}[; ohne Meldung gilt sie um {lost:time?} als verloren].',
  mission_completed: 'Das Gerät hat sie als fertig gemeldet.',
  mission_aborted: 'Abgebrochen[: {why:part?}].',
  mission_failed: 'Gescheitert[: {why:part?}].',
  mission_missed: 'Verpasst[: {why:part?}].',
  mission_cancelled: 'Zurückgezogen[: {why:part?}].',

  // Forecasts
  uses: 'Verbraucht {kg_per_day:mass} am Tag[, {change_percent:change?} als in der Vorwoche].',
  animals_curve:
    'Der Verbrauch ist wie von Tieren ({kind:animals}) am Tag {age_days:number}, {percent_of_curve:number} % ihrer Kurve.',
  animals_end: 'Die Tiere gehen am {day:date}.',
  animals_do_not_match:
    'Der Verbrauch ist {percent_of_curve:number} % der Kurve der Tiere, deshalb zählt sie nicht.',
  animals_not_plausible: 'Die eingetragenen Tiere können nicht stimmen: Bitte prüfen: {what:animalsField}.',
  weekdays: 'Wenig Verbrauch am {quiet:weekdays}.',
  refills: 'Füllungen in den letzten {days:number} <days:Tag|Tagen>: {count:number}.',
  learning:
    'Von {needed:number} vollen Tagen, die eine Vorschau braucht, <days:ist|sind> {days:number} bekannt.',
  stale: 'Das jetzige Gewicht ist nicht bekannt[: Das letzte ist {hours:number?} h alt, von {last:time?}].',
  weight_unchanged: 'Das Gewicht ändert sich seit {since:time} nicht, obwohl etwas verbraucht werden sollte.',
  idle: 'In den letzten {days:number} <days:Tag|Tagen> wurde nichts verbraucht.',
  lasts_longer: 'Reicht mehr als {days:number} <days:Tag|Tage>.',
  wide_range:
    'Der Verbrauch schwankt so sehr, dass der späteste Zeitpunkt {ratio:number}-mal so weit weg ist wie der früheste.',
  capacity_not_plausible:
    'Das Fassungsvermögen von {capacity_kg:mass} passt nicht zum Gewicht von {level_kg:mass}.',
  order_overdue: 'Die Zeit zum Bestellen ist seit {hours:number} h vorbei.',

  // Grain
  no_grain: 'In der Konfiguration steht kein Korn, und kein Sensor hat einen Platz an einem Kabel.',
  air_cools: 'Die Luft hat {outside_c:temperature}, das Korn {grain_c:temperature}.',
  air_dries: 'Die Luft trocknet das Korn bis etwa {equilibrium_percent:number} %.',
  rain: 'Es regnet.',
  too_humid: 'Die Luft ist zu feucht.',
  too_cold: 'Die Luft ist zu kalt.',
  not_cool_enough: 'Die Luft ist nicht kühl genug.',
  would_add_moisture: 'Die Luft würde Feuchte zuführen.',
  would_over_dry: 'Die Luft würde das Korn zu sehr trocknen.',
  grain_is_cool_and_dry: 'Das Korn ist kühl und trocken.',

  // Findings
  operation_moves_nothing:
    'Der Vorgang hat in {minutes:number} <minutes:Minute|Minuten> {moved_kg:mass} bewegt; erwartet waren {expected_kg:mass}',
  use_has_stopped:
    'In {hours:number} <hours:Stunde|Stunden> wurden nur {used_kg:mass} verbraucht; erwartet waren mindestens {expected_at_least_kg:mass}',
  material_has_fallen: 'Material, das eine Brücke gebildet hatte, ist auf einmal gefallen: {fallen_kg:mass}',
  steady_loss:
    'Verliert {loss_kg_per_day:mass} am Tag, die nichts erklärt, in {nights:number} <nights:Nacht|Nächten>',
  step_down: '{loss_kg:mass} fehlten auf einmal, ohne einen Vorgang',
  stuck:
    'Das Gewicht steht seit {unchanged_h:number} <unchanged_h:Stunde|Stunden> auf {level_kg:mass}; {expected_use_kg:mass} hätten verbraucht werden sollen',
  drift:
    'Die Waage wandert um {drift_kg_per_day:mass} am Tag, was nichts erklärt, in {nights:number} <nights:Nacht|Nächten>',
  less_than_noted: 'Die Waage zeigt {measured_kg:mass} von {noted_kg:mass} auf dem Lieferschein',
  more_than_noted: 'Die Waage zeigt {measured_kg:mass}, mehr als die {noted_kg:mass} auf dem Lieferschein',
  scale_differs_always:
    'Die Waage zeigt {measured_kg:mass} von {noted_kg:mass} auf dem Lieferschein, wie bei früheren Lieferungen: Die Waage misst falsch',
  point_gets_warmer:
    'Eine Messstelle des Kabels wird wärmer[: Sie hat {temperature_c:temperature?}][, {warmer_by_c:warming?} mehr als um sie herum][, und täglich {slope_c_per_day:warming?} mehr]',
  storage_life_used:
    '{used_percent:number} % der sicheren Lagerzeit sind verbraucht[; bei dieser Temperatur <remaining_days:bleibt|bleiben> {remaining_days:number?} <remaining_days:Tag|Tage>]',
  flows: 'Material fließt',
  no_loss: 'Kein Verlust',
  steady: 'Die Waage ist gleichmäßig',
  as_noted: 'Wie auf dem Lieferschein',
  no_hot_spot_seen: 'Keine warme Stelle gesehen',
  keeps: '{used_percent:number} % der sicheren Lagerzeit sind verbraucht',
  withdrawals_not_known:
    'Nicht jede Entnahme ist ein Vorgang des Dienstes, deshalb ist ein Verlust oder eine Drift nicht vom Verbrauch zu unterscheiden',
  too_few_nights: 'Von {nights_needed:number} nötigen Nächten <nights:ist|sind> {nights:number} bekannt',
  too_few_days: 'Zu wenige Tage sind bekannt',
  no_use_expected: 'Zu dieser Zeit ist kein Verbrauch zu erwarten',
  use_too_small: 'Der Verbrauch ist zu klein, um gesehen zu werden',
  no_weights: 'Keine jetzigen Gewichte',
  nearly_empty: 'Das Silo ist fast leer',
  other_movement: 'In dieser Zeit wurde noch etwas anderes bewegt',
  runs_too_short: 'Der Vorgang läuft noch nicht lange genug',
  scale_too_uneven: 'Die Waage schwankt zu sehr',
  settling: 'Vor Kurzem gefüllt, umgelagert oder belüftet: Temperaturen sagen noch nichts',
  no_data: 'Zu wenige Temperaturen',

  // Refusals
  administrators_need_factor:
    'wer verwaltet, braucht einen zweiten Faktor oder einen Passkey; richten Sie ihn auf Ihrer eigenen Seite ein',
  confirmation_by_oneself: 'das muss mit Ihrer PIN oder Ihrem Passwort bestätigt werden',
  confirmation_by_another: 'das muss eine andere Person bestätigen, die hier bedient',
  confirmation_has_ended:
    'die Bestätigung wurde schon benutzt oder gilt nicht mehr; bestätigen Sie noch einmal',
  device_is_offline: 'das Gerät ist nicht verbunden',
  device_is_silent: 'das Gerät ist verbunden, hat aber zu lange nichts gesendet',
  device_not_listening:
    'das Gerät sendet Messwerte, ist aber nicht für Befehle verbunden (dafür braucht es MQTT), deshalb kann ihm nichts gesendet werden',
  device_is_maintained: 'das Gerät ist in Wartung',
  weight_never_reported: 'das Gerät hat sein Gewicht noch nie gemeldet',
  weight_is_old: 'das letzte Gewicht ist {age:number} s alt',
  weight_not_true: 'das letzte Gewicht kann nicht stimmen, deshalb weiß niemand, wie viel darin ist',
  weight_before_last_end: 'das letzte Gewicht wurde vor dem Ende des vorigen Vorgangs gemessen',
  rate_too_high: 'der Durchsatz darf höchstens {limit:quantity} sein',
  rate_too_low: 'mit diesem Durchsatz würde es länger als {days:number} <days:Tag|Tage> dauern',
  amount_too_small: 'die Menge ist kleiner als ein Gramm',
  no_room:
    'es ist nur Platz für {available:quantity}[: Bis zu {moved:quantity?} wurden nach der letzten Messung des Gewichts bewegt]',
  no_stock:
    'es sind nur {available:quantity} darin[: Bis zu {moved:quantity?} wurden nach der letzten Messung des Gewichts bewegt]',
  operation_under_way:
    '{operation:Part} läuft auf diesem Gerät; warten Sie das Ende ab, oder stoppen Sie den Vorgang',
  unreadable_operation_under_way:
    'ein Vorgang, dessen Eintrag nicht gelesen werden kann, belegt dieses Gerät; stoppen Sie ihn am Gerät oder mit seiner Kennung {id:text}',
  stop_in_force: 'ein Not-Halt ist in Kraft: Nichts darf sich bewegen, bis ihn jemand freigibt',
  stop_not_confirmed_yet:
    'das Gerät hat den Not-Halt noch nicht bestätigt und bewegt sich vielleicht noch; die Freigabe ist nach der Bestätigung möglich',
  no_base_to_return_to:
    'das Gerät hat keine Basis, zu der es zurückkehren kann; legen Sie eine in seiner Konfiguration fest',
  no_base_for_failsafe:
    'das Gerät hat keine Basis, zu der es zurückkehren kann: Legen Sie eine fest, oder lassen Sie es in seinen Notfällen anhalten oder weitermachen',
  base_used_by_mission:
    'die laufende Mission kehrt zur Basis zurück, wenn die Verbindung abbricht: Ziehen Sie sie zurück, oder entfernen Sie die Basis nach ihrem Ende',
  base_outside_fence: 'die Basis liegt außerhalb des Geofence',
  target_outside_fence: 'das Ziel liegt außerhalb des Geofence',
  waypoint_outside_fence: 'Wegpunkt {waypoint:waypoint} liegt außerhalb des Geofence',
  waypoints_outside_fence: '{count:number} <count:Wegpunkt liegt|Wegpunkte liegen> außerhalb des Geofence',
  waypoint_not_reachable:
    'Wegpunkt {waypoint:waypoint} ist nicht zu erreichen oder zu verlassen, ohne den Geofence zu verlassen',
  battery_not_enough:
    'nötig sind {required:number} % des Akkus für {distance:number} m und {back:number} m zurück, und {reserve:number} % Reserve; vorhanden sind {available:number} %',
  mission_at_that_time: 'zu dieser Zeit läuft eine andere Mission, oder sie ist geplant',
  missions_ahead: 'das Gerät hat schon {count:number} <count:Mission|Missionen> vor sich',
  start_in_the_past: 'der geplante Beginn liegt in der Vergangenheit',
  start_too_far_ahead: 'der geplante Beginn liegt mehr als ein Jahr in der Zukunft',
  reading_is_old: 'der letzte Wert ist {age:number} s alt: {sensor:sensor}',
  reading_missing: 'das Gerät hat einen Wert noch nicht gemeldet: {sensor:sensor}',
  mission_not_in_state:
    'die Mission {status:missionStatus}, deshalb kann sie nicht {change:missionChange} werden',
  mission_being_cancelled:
    'die Mission wird zurückgezogen, deshalb kann sie nicht {change:missionChange} werden',
  operation_has_ended: 'der Vorgang ist schon zu Ende ({status:jobStatus})',
  operation_stop_first:
    'der Vorgang ist nicht zu Ende ({status:jobStatus}): Stoppen Sie ihn zuerst; bestätigt das Gerät den Stopp nicht, kann er für beendet erklärt werden',
  operation_may_begin:
    'das Gerät kann den Vorgang bis {until:time} noch beginnen; danach kann er für beendet erklärt werden',
  operation_may_stop:
    'das Gerät soll stoppen und kann das noch bestätigen; der Vorgang kann ab {from:time} für beendet erklärt werden',
  mission_has_ended: 'die Mission ist schon zu Ende ({status:jobStatus})',
  mission_has_not_begun: 'die Mission hat nicht begonnen: Ziehen Sie sie stattdessen zurück',
  mission_may_begin:
    'das Gerät kann die Mission bis {until:time} noch beginnen; danach kann sie für beendet erklärt werden',
  mission_cancel_first:
    'das Gerät ist verbunden: Ziehen Sie die Mission zuerst zurück; bestätigt das Gerät es nicht, kann sie für beendet erklärt werden',
  mission_may_end:
    'das Gerät soll die Mission beenden und kann das noch bestätigen; sie kann ab {from:time} für beendet erklärt werden',
  command_has_ended: 'der Befehl ist schon zu Ende ({status:jobStatus})',
  command_not_sent_yet: 'der Befehl wurde nicht gesendet und läuft von selbst ab',
  command_may_begin:
    'das Gerät kann den Befehl bis {until:time} noch beginnen; danach kann er für beendet erklärt werden',
  command_is_asked_for:
    'das Gerät ist verbunden und wird gefragt, was aus dem Befehl wurde; geben Sie ihm einen anderen Befehl, oder lösen Sie den Not-Halt aus',
  emergency_stop_may_be_confirmed:
    'das Gerät kann den Not-Halt noch bestätigen; er kann ab {from:time} für beendet erklärt werden',
  commands_to_answer: 'das Gerät muss zuerst {count:number} <count:Befehl|Befehle> beantworten',
  device_is_busy:
    'auf dem Gerät ist etwas im Gange, oder etwas wartet darauf: {jobs:list}[ und {more:number?} weitere]; beenden Sie es zuerst',
  low_level_not_below_high:
    'die Leermeldung ({low:number} %) muss unter der Vollmeldung ({high:number} %) liegen',
  critical_level_between:
    'der kritische Stand ({critical:number} %) muss unter der Leermeldung ({low:number} %) oder über der Vollmeldung ({high:number} %) liegen',
  critical_battery_not_below_low:
    'der kritische Akkustand ({critical:number} %) muss unter dem niedrigen ({low:number} %) liegen',
  configuration_changed: 'die Konfiguration hat die Version {current:number}, nicht {given:number}',
  device_changed: 'das Gerät hat die Version {current:number}, nicht {given:number}',
  message_waits_already: 'was Sie zuletzt angefordert haben, wartet noch darauf, gesendet zu werden',
  messages_in_an_hour: 'Sie haben innerhalb einer Stunde {limit:number} davon angefordert, mehr geht nicht',

  // Faults of fields, after the name of the field
  must_be: 'muss {what:alternatives} sein',
  must_be_like: 'muss {what:part} sein, wie {example:text}',
  must_be_at_least: 'muss mindestens {limit:number} sein',
  must_be_above: 'muss größer als {limit:number} sein',
  must_be_at_most: 'darf höchstens {limit:number} sein',
  must_be_below: 'muss kleiner als {limit:number} sein',
  must_not_be_empty: 'darf nicht leer sein',
  must_have_more_characters: 'muss mindestens {limit:number} Zeichen haben',
  must_have_fewer_characters: 'darf höchstens {limit:number} Zeichen haben',
  must_have_an_item: 'muss mindestens einen Eintrag haben',
  must_have_more_items: 'muss mindestens {limit:number} <limit:Eintrag|Einträge> haben',
  must_have_fewer_items: 'darf höchstens {limit:number} <limit:Eintrag|Einträge> haben, nicht {count:number}',
  must_not_repeat: 'darf nichts zweimal nennen',
  must_have_a_field: 'muss mindestens ein Feld haben',
  must_have_just_one_of: 'muss genau eines haben von: {fields:text}',
  must_have_one_of: 'muss mindestens eines haben von: {fields:text}',
  must_have_fewer_fields: 'darf höchstens {limit:number} <limit:Feld|Felder> haben, nicht {count:number}',
  is_required: 'fehlt',
  is_not_known: 'ist kein bekanntes Feld',
  is_not_valid: 'ist nicht gültig',
  has_lost_its_plus:
    'hat ein Leerzeichen, wo der Abstand zu UTC beginnt: in einer Adresse wird + als %2B geschrieben',
  is_no_time: 'ist keine Zeit',
  is_out_of_range: 'liegt außerhalb jedes Bereichs',
  must_be_before_to: 'muss vor dem Ende liegen',
  must_be_one_of_zones: 'muss eine von {zones:text} sein: die Silos dort liegen in mehreren Zeitzonen',
  must_be_to_come: 'muss in der Zukunft liegen',
  has_passed: 'ist vorbei',
  is_too_easy: 'ist zu leicht zu erraten',
  is_taken: 'ist vergeben',
  must_be_plain_number: 'muss eine Zahl ohne Tausendertrennzeichen sein, wie 20000 oder 20000,5',
  is_no_column: 'ist keine bekannte Spalte; es gibt {columns:text}',
  is_that_of_row: 'steht schon in Zeile {row:number}',
  is_beyond_the_key: 'liegt dort, wo dieser Schlüssel kein Gerät anmelden darf',
  has_open_quote: 'hat ein Anführungszeichen, das nicht endet',
  has_text_after_quote: 'hat Text nach dem Anführungszeichen, das eine Zelle beendet',
  has_too_many_cells: 'hat zu viele Zellen',
  has_more_cells: 'hat mehr Zellen als die erste Zeile',
  is_listed_twice: 'steht zweimal da',
  is_declared_twice: 'ist zweimal angelegt',
  is_that_of_another_sensor: 'ist der eines anderen Sensors',
  is_a_standard_name: 'ist der Name eines festen Sensors oder Felds',
  is_no_declared_sensor: 'ist kein angelegter Sensor dieses Geräts',
  is_no_value_of_reading: 'benennt keinen Wert dieser Messung',
  is_less_than_a_gram: 'ist kleiner als ein Gramm',
  must_be_at_most_amount: 'darf höchstens {limit:quantity} sein',
  must_be_greater_than_min: 'muss größer als das Minimum sein',
  must_be_between: 'muss zwischen {min:number} und {max:number} {unit:text} liegen',
  must_be_below_high_level: 'muss unter der Vollmeldung ({limit:number}) liegen',
  must_be_outside_levels: 'muss außerhalb von Leer- und Vollmeldung liegen',
  must_be_below_low_battery: 'muss unter dem niedrigen Akkustand ({limit:number}) liegen',
  must_have_one_side: 'muss entweder eine obere oder eine untere Grenze haben',
  must_differ_from_rule: 'muss sich in Sensor, Seite oder Schwere von der Regel {rule:number} unterscheiden',
  must_be_a_sensor: 'muss ein Sensor des Geräts sein: {sensors:text}',
  must_not_be_from: 'darf nicht dieselbe Zeit wie der Beginn sein',
  must_be_above_step: 'muss größer als {limit:number} sein, wie im Schritt davor',
  must_not_have_two_at_once: 'darf nicht zwei Lieferungen zur selben Zeit haben',
  must_be_after_start: 'muss nach dem Beginn liegen ({started:date})',
  a_text: 'ein Text',
  a_number: 'eine Zahl',
  a_whole_number: 'eine ganze Zahl',
  true_or_false: 'wahr oder falsch',
  an_object: 'ein Objekt',
  an_array: 'eine Liste',
  null_value: 'leer (null)',
  this_value: '„{value:text}“',
  one_of: 'eines von: {options:text}',
  a_match: 'ein Text nach dem Muster {pattern:text}',
  time_with_offset: 'eine Zeit mit ihrem Abstand zu UTC, wie {example:text}',
  whole_number_between: 'eine ganze Zahl von {min:number} bis {max:number}',
  text_of_one_line: 'ein Text ohne Steuerzeichen',
  text_of_lines: 'ein Text ohne Steuerzeichen außer Tabulatoren und Zeilenumbrüchen',
  printable_characters: '1 bis {limit:number} druckbare Zeichen ohne Leerzeichen',
  identifier: '1 bis 64 Buchstaben, Ziffern, - oder _',
  sensor_identifier: '1 bis 64 Buchstaben, Ziffern, - oder _, zuerst ein Buchstabe oder eine Ziffer',
  sensor_type: '1 bis 64 kleine Buchstaben, Ziffern oder _, zuerst ein Buchstabe',
  event_number: 'die Nummer eines Ereignisses',
  base_64_url: '1 bis {limit:number} Zeichen aus base64url',
  base_32: '{limit:number} aus A bis Z und 2 bis 7',
  label_name:
    'der Name eines Merkmals: 1 bis 40 kleine Buchstaben, Ziffern, Punkte, - oder _, zuerst ein Buchstabe',
  label_value:
    'der Wert eines Merkmals: 1 bis {limit:number} Zeichen ohne Kommas und ohne Leerzeichen an den Enden',
  label_selector: 'ein Merkmal wie product=wheat, oder der Name eines Merkmals',
  login_name:
    '1 bis 63 Zeichen von a bis z, 0 bis 9, Punkt, Bindestrich und Unterstrich, das erste ein Buchstabe oder eine Ziffer',
  name_that_is_seen: 'ein Name ohne Steuerzeichen und Zeichen, die man nicht sieht',
  name_of_person: 'ein Name ohne Zeichen, die man nicht sieht, das erste kein Leerzeichen',
  pin_digits: '4 bis 8 Ziffern',
  address_of_view: 'eine Adresse der Bedienseite, die mit #/ beginnt',
  threshold_rule: 'eine Grenzwertregel wie temp_3 above warning',
  time_zone_name: 'eine Zeitzone wie Europe/Berlin',
  local_day: 'ein Tag des Kalenders, wie 2026-03-29',
  time_of_day: 'eine Uhrzeit von 00:00 bis 23:59',
  days_ahead: 'eine Zahl von Tagen von 1d bis 30d',
  email_address: 'eine E-Mail-Adresse wie ada@example.com',
  push_service_address: 'die Adresse eines Push-Dienstes, den dieser Dienst kennt',
  web_address: 'eine Adresse, die mit http:// oder https:// beginnt, ohne Leerzeichen',
  compartments_of_truck:
    '1 bis {count:number} Mengen in kg, jede größer als 0 und höchstens {limit:number}, durch Kommas getrennt',

  // The device link
  login_without_id:
    'Client-Kennung und Benutzername müssen die Kennung des Geräts sein, mit seinem Geheimnis als Passwort',
  will_on_other_topic: 'ein letzter Wille gehört auf das eigene Statusthema des Geräts',
  storage_silent_at_login: 'der Speicher hat nicht geantwortet, ob das Geheimnis stimmt',
  wrong_login: 'unbekanntes Gerät oder falsches Geheimnis',
  other_mqtt_version: 'nur MQTT 3.1.1 wird unterstützt, nicht {protocol:text}',
  message_not_taken: 'eine Nachricht konnte nicht angenommen werden',
  connection_not_ended: 'die Verbindung des Geräts konnte nicht beendet werden: {error:text}',
  topic_of_others: 'auf diesem Thema darf das Gerät nicht senden',
  does_not_read: 'das Gerät liest nicht, was ihm gesendet wird',
  left_unacknowledged: 'das Gerät hat {count:number} <count:Nachricht|Nachrichten> nicht bestätigt',
  left_unreleased: 'das Gerät hat {count:number} <count:Nachricht|Nachrichten> mit QoS 2 nicht freigegeben',
  packet_not_for_server: 'ein Paket der Art {type:number} ist nicht für einen Server',
  packet_too_large: 'ein Paket ist größer als {limit:number} Bytes',
  no_connect_first: 'die Verbindung beginnt nicht mit CONNECT',
  packet_malformed: 'das Paket ist fehlerhaft: {what:text}',

  // Parts of other sentences
  operation_in_state: '{operation:Part} ({status:jobStatus})',
  command_in_state: 'der Befehl „{command:command}“ ({status:jobStatus})',
  mission_in_state: '{mission:mission} ({status:missionStatus})',
  feed: 'Befüllung mit {amount:quantity}[ in {target:text?}]',
  discharge: 'Entnahme von {amount:quantity}[ in {target:text?}]',
  feed_at_device: 'am Gerät begonnene Befüllung',
  discharge_at_device: 'am Gerät begonnene Entnahme',
  operation_at_device: 'am Gerät begonnener Vorgang',
  sensor_silent: '{sensor:sensor} seit {since:time}',
  sensor_implausible:
    '{sensor:sensor} meldet {value:quantity}, das kann nicht stimmen: außerhalb von {min:quantity} bis {max:quantity}',
  sensor_invalid: '{sensor:sensor} meldet {value:quantity}, laut Gerät kein gültiger Wert',
  clock_ahead: 'seine Uhr geht {offset:duration} vor',
  clock_behind: 'seine Uhr geht {offset:duration} nach',
  times_in_other_unit: 'seine Zeiten sind in {unit:timeUnit}, nicht in Millisekunden',
  value_not_a_number: '{sensor:sensor} ist {found:found}, keine Zahl',
  sensor_not_declared: 'der Sensor {sensor:sensor} ist nicht angelegt',
  other_cause: '{text:text}',
  device_said: '{words:text}',
  device_gave_no_reason: 'das Gerät nannte keinen Grund',
  ran_too_long: 'der Vorgang lief länger als seine Grenze',
  weight_does_not_move: 'das Gewicht ändert sich nicht',
  start_not_sent: 'der Start wurde nicht gesendet, nichts wurde bewegt: {why:notSent}',
  declared_ended:
    'von {person:text} für beendet erklärt[ ({reason:text?})]; das Gerät hat das Ende nicht gemeldet',
  never_known:
    'das Gerät kennt diesen Vorgang nicht, und ob er begann, wurde nicht gemeldet[; {scale:part?}]',
  no_longer_known:
    'das Gerät kennt diesen Vorgang nicht mehr, und wie viel bewegt wurde, wurde nicht gemeldet[; {scale:part?}]',
  scale_shows: 'die Waage zeigt {moved:quantity} bewegt',
  scale_showed: 'während des Vorgangs zeigte die Waage {moved:quantity} bewegt',
  scale_disturbed: 'die Waage kann es nicht sagen, weil auch ein anderer Vorgang etwas bewegt hat',
  scale_without_start: 'die Waage kann es nicht sagen, weil das Gewicht davor nicht bekannt ist',
  scale_silent: 'die Waage hat seit dem Start nichts gemeldet',
  moved_again: 'um {again:time} war nach einem früheren Ende wieder etwas bewegt worden',
  moved_again_after_declared:
    'um {again:time} war wieder etwas bewegt worden, nachdem {person:text} den Vorgang um {declared:time} für beendet erklärt hatte',
  declared_before: 'davor hatte {person:text} den Vorgang um {declared:time} für beendet erklärt',
  amount_not_reported: 'wie viel bewegt wurde, wurde nicht gemeldet',
  amount_last_reported:
    'die letzte Meldung nannte {moved:quantity}, und wie viel insgesamt bewegt wurde, wurde nicht gemeldet',
  stop_refused: 'es hat den Not-Halt abgelehnt[ ({reason:text?})]',
  stop_failed: 'es konnte nicht anhalten[ ({reason:text?})]',
  stop_cancelled: 'es hat den Not-Halt zurückgezogen[ ({reason:text?})]',
  stop_not_known: 'es kennt den Not-Halt nicht[ ({reason:text?})]',
  expired_unsent: 'er lief ab, bevor er gesendet werden konnte',
  nothing_sent: 'das Gerät ist nicht verbunden, nichts wurde gesendet',
  stop_came_first: 'ein Not-Halt kam zuvor',
  outcome_forgotten: 'das Gerät kennt ihn nicht mehr; das Ergebnis ist nicht bekannt',
  did_not_arrive:
    'das Gerät kennt ihn nicht: Er kam nicht rechtzeitig an, oder das Gerät hat seinen Speicher verloren',
  did_not_connect: 'das Gerät hat sich nicht rechtzeitig verbunden',
  superseded: 'das Gerät hat ihn für einen anderen aufgegeben',
  no_word_of_it: 'das Gerät sagt nicht, was daraus wurde',
  was_cancelled: 'sie wurde zurückgezogen',
  could_not_begin: 'sie konnte nicht rechtzeitig beginnen',
  upload_unanswered:
    'das Gerät hat die Übertragung nicht rechtzeitig beantwortet und wurde nie zum Start aufgefordert',
  start_ignored: 'das Gerät wurde zum Start aufgefordert und meldet, dass es nicht begonnen hat',
  mission_not_sent:
    'das Gerät war nicht verbunden, als es zum Start aufgefordert werden sollte; nichts wurde gesendet',
  stop_ended_it: 'ein Not-Halt hat sie beendet',
  stop_was_in_force: 'ein Not-Halt war in Kraft, deshalb begann sie nicht',
  mission_forgotten:
    'das Gerät kennt die Mission nicht mehr, ihr Ergebnis ist nicht bekannt; sie wird nicht noch einmal begonnen',
  not_heard_again: 'vom Gerät wurde nichts mehr gehört, ihr Ergebnis ist nicht bekannt',
  ended_early: 'das Gerät hat sie vorzeitig beendet und nannte keinen Grund',
};

type Words = { readonly [Kind in keyof typeof WORDS]: Readonly<Record<keyof (typeof WORDS)[Kind], string>> };

export const SENTENCE_WORDS: Words = {
  job: { operation: 'eines Vorgangs', mission: 'einer Mission', emergency_stop: 'eines Not-Halts' },
  failsafe: { continue: 'weitermachen', hold: 'anhalten', return_to_base: 'zu seiner Basis zurückkehren' },
  found: {
    text: 'ein Text',
    boolean: 'wahr oder falsch',
    null: 'leer',
    object: 'ein Objekt',
    list: 'eine Liste',
  },
  timeUnit: { seconds: 'Sekunden', microseconds: 'Mikrosekunden', nanoseconds: 'Nanosekunden' },
  notSent: {
    not_connected: 'das Gerät ist nicht verbunden',
    not_subscribed: 'das Gerät ist verbunden, nimmt aber keine Befehle an',
    expired: 'er konnte nicht rechtzeitig gesendet werden',
    in_flight: 'eine andere Nachricht an das Gerät war im Weg',
  },
  missionChange: { pause: 'angehalten', resume: 'fortgesetzt' },
  command: {
    move_to_coordinates: 'zu einem Ort fahren',
    hold: 'anhalten',
    resume: 'fortsetzen',
    return_to_base: 'zur Basis zurückkehren',
    scan: 'scannen',
    collect_sample: 'Probe nehmen',
    emergency_stop: 'Not-Halt',
    release_emergency_stop: 'Freigabe des Not-Halts',
  },
  jobStatus: {
    started: 'begonnen',
    in_progress: 'läuft',
    unconfirmed: 'unbestätigt',
    stopping: 'wird gestoppt',
    stopped: 'gestoppt',
    completed: 'fertig',
    failed: 'gescheitert',
    queued: 'wartet',
    sent: 'gesendet',
    executing: 'wird ausgeführt',
    succeeded: 'gelungen',
    rejected: 'abgelehnt',
    cancelled: 'zurückgezogen',
    expired: 'abgelaufen',
    timed_out: 'keine Antwort',
    scheduled: 'geplant',
    dispatched: 'an das Gerät gesendet',
    paused: 'pausiert',
    aborted: 'abgebrochen',
    missed: 'verpasst',
  },
  missionRequest: { pause: 'die Pause', resume: 'die Fortsetzung', cancel: 'das Ende' },
  missionStatus: {
    scheduled: 'ist für später geplant',
    dispatched: 'ist an das Gerät gesendet, aber nicht begonnen',
    in_progress: 'läuft',
    paused: 'ist pausiert',
    completed: 'ist fertig',
    aborted: 'wurde abgebrochen',
    failed: 'ist gescheitert',
    missed: 'wurde verpasst',
    cancelled: 'wurde zurückgezogen',
  },
  animals: {
    broiler: 'Masthühner',
    layer: 'Legehennen',
    pig: 'Schweine',
    dairy: 'Milchkühe',
    other: 'andere Tiere',
  },
  animalsField: {
    heads: 'ihre Anzahl',
    started_on: 'der Tag, seit dem sie da sind',
    ends_on: 'der Tag, an dem sie gehen',
  },
  comparison: { more: 'mehr', less: 'weniger' },
  weekday: {
    0: 'Montag',
    1: 'Dienstag',
    2: 'Mittwoch',
    3: 'Donnerstag',
    4: 'Freitag',
    5: 'Samstag',
    6: 'Sonntag',
  },
};
