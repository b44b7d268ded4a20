import type { SentenceCode } from '@granary/contract/sentences/english';
import type { WORDS } from '@granary/contract/sentences/words';

/** The template of every code; what the templates can contain is said in `contract/src/sentences/sentence.ts`. */
export const SENTENCES: Readonly<Record<SentenceCode, string>> = {
  // Alerts
  level_below: 'Niveau {level:percent}, op of onder de grens van {limit:number} %',
  level_above: 'Niveau {level:percent}, op of boven de grens van {limit:number} %',
  battery_below: 'Accu {level:percent}, op of onder de grens van {limit:number} %',
  sensor_above: '{sensor:Sensor} {value:quantity}, op of boven de grens van {limit:quantity}',
  sensor_below: '{sensor:Sensor} {value:quantity}, op of onder de grens van {limit:quantity}',
  sensor_above_named:
    '{name:text}: {sensor:sensor} {value:quantity}, op of boven de grens van {limit:quantity}',
  sensor_below_named:
    '{name:text}: {sensor:sensor} {value:quantity}, op of onder de grens van {limit:quantity}',
  sensors_silent:
    'Het apparaat is verbonden, maar er ontbreken waarden: {sensors:list}[, en nog {more:number?}]',
  sensors_implausible: '{sensors:Clauses}[; en nog {more:number?}]',
  went_offline: 'Het apparaat is niet verbonden',
  went_offline_during: 'Het apparaat is niet verbonden tijdens {job:job}',
  readings_refused:
    'Zijn metingen worden geweigerd: {cause:part} ({messages:number} <messages:bericht|berichten> achter elkaar sinds {since:time})',
  readings_partly_refused:
    'Een deel van zijn metingen wordt geweigerd: {cause:part} ({messages:number} <messages:bericht|berichten> achter elkaar sinds {since:time})',
  clock_ahead_or_late:
    'Zijn klok loopt {offset:duration} voor, of het stuurt zijn metingen {offset:duration} te laat: ze gelden als oud, dus geen niveau of grens wordt bewaakt',
  clock_behind_or_late:
    'Zijn klok loopt {offset:duration} achter, of het stuurt zijn metingen {offset:duration} te laat: ze gelden als oud, dus geen niveau of grens wordt bewaakt',
  two_clients:
    'Twee programma’s melden zich aan als dit apparaat en verdringen elkaar: {takeovers:number} keer binnen een minuut, vanaf {addresses:names}',
  two_clients_same_address:
    'Twee programma’s melden zich aan als dit apparaat en verdringen elkaar: {takeovers:number} keer binnen een minuut, alle vanaf {address:text}',
  two_clients_or_bad_link:
    'Twee programma’s melden zich aan als dit apparaat, of de verbinding valt steeds weg: {takeovers:number} <takeovers:nieuwe verbinding|nieuwe verbindingen> binnen een minuut; alleen de broker kent de adressen',
  maintenance_overdue: 'Het onderhoud was aan de beurt op {due:time}',
  operation_stalled: '{operation:Part} bleef steken[ bij {moved:quantity?}]: {why:part}',
  operation_overran: '{operation:Part} eindigde niet op tijd[ bij {moved:quantity?}]: {why:part}',
  operation_refused: '{operation:Part} is door het apparaat geweigerd, dus er bewoog niets: {why:part}',
  operation_outcome_unknown: '{operation:Part} eindigde zonder bekende uitkomst: {why:part}',
  operation_declared_ended: '{operation:Part}: {why:part}',
  operation_broke_off: '{operation:Part} is mislukt[ bij {moved:quantity?}]: {why:part}',
  operation_stop_unconfirmed:
    '{operation:Part}: het apparaat heeft de stop niet bevestigd, dus het kan nog bewegen; de stop wordt herhaald tot het dat doet',
  operation_unasked: 'Er is een bewerking bij het apparaat gestart, niet via deze dienst',
  feed_unasked: 'Er is bij het apparaat met vullen begonnen, niet via deze dienst',
  discharge_unasked: 'Er is bij het apparaat met lossen begonnen, niet via deze dienst',
  operation_imbalance:
    '{operation:Part}: het apparaat meldde {reported:quantity}, de weger toont {measured:quantity}, een verschil van {difference:number} %',
  outside_fence: 'Het apparaat is buiten zijn geofence, bij {place:place}; het moet {action:failsafe}',
  mission_ended_badly: '{mission:mission} {status:missionStatus}[: {why:part?}]',
  mission_start_unanswered: '{mission:mission} kreeg de start, en het apparaat zegt niet of ze begonnen is',
  mission_pause_unconfirmed:
    '{mission:mission}: het apparaat heeft de pauze niet bevestigd, dus het kan nog bewegen; het wordt herhaald tot het dat doet',
  mission_end_unconfirmed:
    '{mission:mission}: het apparaat heeft het einde niet bevestigd, dus het kan nog bewegen; het wordt herhaald tot het dat doet',
  stop_unconfirmed:
    'Het apparaat heeft de noodstop niet bevestigd, dus het kan nog bewegen; de stop wordt herhaald tot het dat doet[; het laatste antwoord: {answer:part?}]',
  may_run_empty: 'Hij kan over {left:duration} leeg zijn, en daarvoor is geen levering gepland',
  nothing_usable_left: 'Er is niets bruikbaars over',
  // Details of operations
  start_given_out:
    'De start is gegeven om {started:time}; de bevestiging van het apparaat wordt verwacht tot {until:time}.',
  operation_acknowledged:
    'Het apparaat bevestigde de start en heeft nog geen voortgang gemeld; het einde wordt verwacht tot {until:time}, en dan wordt het gestopt.',
  operation_moving:
    'Het apparaat meldde {moved:quantity} van {target:quantity} verplaatst; het einde wordt verwacht tot {until:time}, en dan wordt het gestopt.',
  operation_moving_unasked:
    'Het apparaat meldde {moved:quantity} verplaatst; het is bij het apparaat gestart, niet via deze dienst.',
  start_unacknowledged:
    'Het apparaat heeft de start niet bevestigd en kan beginnen tot {until:time}; het wordt gevraagd tot het antwoordt, en kent het de bewerking daarna niet, dan is ze voorbij.',
  operation_unheard:
    'Er is niets van gehoord sinds {heard:time}, dus ze kan nog lopen[, uiterlijk tot {limit:time?} volgens haar eigen grens]; het apparaat wordt gevraagd zodra het verbonden is.',
  stop_requested:
    'Om {requested:time} is een stop gevraagd; de stop wordt herhaald tot het apparaat hem bevestigt[, of na {decided:time?} zegt dat het de bewerking niet kent].',
  stopping_because:
    'Ze wordt gestopt, want {why:part}; de stop wordt herhaald tot het apparaat hem bevestigt[, of na {decided:time?} zegt dat het de bewerking niet kent].',
  stopping_moved_again:
    'Er bewoog weer iets om {again:time}, na het einde; de stop wordt herhaald tot het apparaat hem bevestigt[, of na {decided:time?} zegt dat het de bewerking niet kent].',
  stopping_moved_after_declared:
    'Er bewoog weer iets om {again:time}, nadat {person:text} haar om {declared:time} beëindigd had verklaard; de stop wordt herhaald tot het apparaat hem bevestigt[, of na {decided:time?} zegt dat het de bewerking niet kent].',
  operation_completed:
    'Het apparaat meldde dat de bewerking klaar is, met {moved:quantity} verplaatst[; {scale:part?}][; {before:part?}].',
  operation_stopped:
    'Het apparaat bevestigde de stop, met {moved:quantity} verplaatst[; {scale:part?}][; {before:part?}].',
  operation_not_running:
    'Het apparaat kent de bewerking niet, dus ze loopt niet; {reported:part}; {scale:part}.',
  operation_start_refused: 'Het apparaat weigerde de start, dus er is niets verplaatst: {why:part}.',
  operation_not_sent: '{why:Part}.',
  operation_failed_unknown: 'Mislukt: {why:part}.',
  operation_failed_unreported: 'Mislukt: {why:part}; {reported:part}; {scale:part}.',
  operation_failed:
    'Mislukt: {why:part}; het apparaat meldde {moved:quantity} verplaatst[; {scale:part?}][; {before:part?}].',
  operation_end_declared: 'Einde: {why:part}; {reported:part}[; {scale:part?}].',
  stop_sent_not_stored:
    'De stop is naar het apparaat verzonden; hij kon nog niet worden opgeslagen, en wordt herhaald tot dat lukt.',
  stop_waits_not_stored:
    'Het apparaat is niet verbonden, dus de stop wordt verzonden zodra het dat is; hij kon nog niet worden opgeslagen, en wordt herhaald tot dat lukt.',
  // Steps of a trace
  feed_requested: 'Vullen met {amount:quantity}[ in {target:text?}] met {rate:quantity}.',
  discharge_requested: 'Lossen van {amount:quantity}[ in {target:text?}] met {rate:quantity}.',
  start_checked:
    'Aanvaard[ bij een inhoud van {inside:quantity?}]: het apparaat mag hoogstens {most:quantity} verplaatsen in {seconds:number} s.',
  start_sent: 'De start is verzonden, geldig tot {until:time}.',
  start_was_not_sent: '{why:Part}.',
  begun_at_device: 'Het apparaat meldde een bewerking die het zelf begon.',
  device_confirmed: 'Het apparaat bevestigde dat het de bewerking heeft.',
  last_report: 'Laatste melding van het apparaat: {moved:quantity} verplaatst.',
  last_report_unknown: 'Het apparaat meldde dat het de bewerking niet kent.',
  report_requested: 'De dienst vroeg het apparaat om een melding.',
  stop_was_requested: 'Er is een stop gevraagd.',
  service_stops: 'De dienst stopt haar: {why:part}.',
  service_stops_moved_again: 'De dienst stopt haar: er bewoog iets na het einde.',
  stop_last_sent: 'De stop is voor het laatst naar het apparaat verzonden.',
  weight_last_changed: 'De weger zag het gewicht voor het laatst veranderen.',
  scale_measured: 'De weger toont {moved:quantity} verplaatst.',
  end_declared: '{person:text} keek en verklaarde haar beëindigd[: {reason:text?}].',
  // Details of commands
  command_queued: 'Ze wacht tot het apparaat verbindt[, tot {until:time?}].',
  command_sent: 'Ze is verzonden; het apparaat heeft nog niet geantwoord en wordt gevraagd tot {until:time}.',
  command_executing: 'Het apparaat voert haar uit; de volgende melding wordt verwacht tot {until:time}.',
  command_succeeded: 'Het apparaat meldde dat ze is uitgevoerd.',
  command_timed_out:
    'De uitkomst is onbekend: het apparaat heeft niet geantwoord en wordt gevraagd tot {until:time}.',
  command_failed: 'Mislukt[: {why:part?}].',
  command_rejected: 'Door het apparaat geweigerd[: {why:part?}].',
  command_cancelled: 'Geannuleerd[: {why:part?}].',
  command_expired: 'Niet uitgevoerd[: {why:part?}].',
  command_end_declared: 'Einde: {why:part}.',
  emergency_stop_waits:
    'Het apparaat is niet verbonden; de noodstop wordt verzonden zodra het dat is, en tot dan weet niemand of het apparaat stilstaat.',
  emergency_stop_repeated:
    'Hij wordt elke seconde herhaald tot het apparaat bevestigt dat het stilstaat[; het laatste antwoord: {answer:part?}].',
  emergency_stop_confirmed:
    'Het apparaat bevestigde dat het stilstaat; het aanvaardt geen beweging tot iemand de noodstop vrijgeeft.',
  emergency_stop_released:
    'Het apparaat bevestigde dat het stilstaat; deze noodstop is niet meer van kracht.',
  emergency_stop_ended: 'Hij eindigde zonder bevestiging[: {why:part?}].',
  emergency_stop_declared:
    'Einde: {why:part}; hij wordt niet meer herhaald en blijft van kracht tot iemand hem vrijgeeft.',
  emergency_stop_declared_released: 'Einde: {why:part}; deze noodstop is niet meer van kracht.',
  // Attention
  job_on_offline_device: 'Het apparaat is niet verbonden, en er loopt iets op.',
  // Details of missions
  mission_scheduled:
    'Ze begint om {start:time} als het apparaat verbonden en vrij is; ze is gemist als ze niet voor {until:time} is begonnen.',
  mission_may_have_begun: 'Het apparaat kan begonnen zijn en moet {request:missionRequest} nog bevestigen.',
  mission_told_to_start:
    'Het apparaat kreeg de start om {told:time} en heeft het begin niet gemeld; het wordt om de paar seconden gevraagd[; zonder melding is ze verloren om {lost:time?}].',
  mission_sent: 'Ze is naar het apparaat verzonden, het antwoord wordt verwacht tot {until:time}.',
  mission_accepted:
    'Het apparaat heeft haar; het krijgt de start om {start:time} of zodra het verbonden en vrij is, tot {until:time}.',
  mission_under_way:
    'Ze loopt, {reached:number} van {waypoints:number} <waypoints:routepunt|routepunten> bereikt[; het apparaat moet {request:missionRequest?} nog bevestigen][, tot {until:time?}].',
  mission_paused:
    'Ze is gepauzeerd, {reached:number} van {waypoints:number} <waypoints:routepunt|routepunten> bereikt[; het apparaat moet {request:missionRequest?} nog bevestigen][, tot {until:time?}].',
  mission_under_way_silent:
    'Ze liep, {reached:number} van {waypoints:number} <waypoints:routepunt|routepunten> bereikt toen het apparaat voor het laatst is gehoord; sinds {since:time} is niets gehoord, en dan moet het {action:failsafe}[; zonder melding is ze verloren om {lost:time?}].',
  mission_paused_silent:
    'Ze was gepauzeerd, {reached:number} van {waypoints:number} <waypoints:routepunt|routepunten> bereikt toen het apparaat voor het laatst is gehoord; sinds {since:time} is niets gehoord, en dan moet het {action:failsafe}[; zonder melding is ze verloren om {lost:time?}].',
  mission_completed: 'Het apparaat meldde dat ze klaar is.',
  mission_aborted: 'Afgebroken[: {why:part?}].',
  mission_failed: 'Mislukt[: {why:part?}].',
  mission_missed: 'Gemist[: {why:part?}].',
  mission_cancelled: 'Geannuleerd[: {why:part?}].',
  // Forecasts
  uses: 'Verbruikt {kg_per_day:mass} per dag[, {change_percent:change?} dan in de week ervoor].',
  animals_curve:
    'Verbruik als van {kind:animals} op dag {age_days:number}, op {percent_of_curve:number} % van hun curve.',
  animals_end: 'De dieren gaan weg op {day:date}.',
  animals_do_not_match:
    'Het verbruik is {percent_of_curve:number} % van de curve van de dieren, dus de curve wordt niet gebruikt.',
  animals_not_plausible: 'De ingevoerde dieren kunnen niet kloppen: kijk naar {what:animalsField}.',
  weekdays: 'Weinig verbruik op {quiet:weekdays}.',
  refills: 'Vullingen in de laatste {days:number} <days:dag|dagen>: {count:number}.',
  learning:
    'Van de {needed:number} volle dagen die een verwachting nodig heeft, <days:is|zijn> er {days:number} bekend.',
  stale: 'Het huidige gewicht is niet bekend[: het laatste is {hours:number?} u oud, van {last:time?}].',
  weight_unchanged: 'Het gewicht is niet veranderd sinds {since:time}, hoewel er verbruik zou moeten zijn.',
  idle: 'In de laatste {days:number} <days:dag|dagen> is niets verbruikt.',
  lasts_longer: 'Genoeg voor meer dan {days:number} <days:dag|dagen>.',
  wide_range:
    'Het verbruik wisselt zo dat de laatste tijd {ratio:number} keer zo ver weg is als de vroegste.',
  capacity_not_plausible: 'De inhoud van {capacity_kg:mass} past niet bij het gewicht van {level_kg:mass}.',
  order_overdue: 'De tijd om te bestellen was {hours:number} u geleden.',
  // Grain
  no_grain: 'De configuratie noemt geen graan, en geen sensor heeft een plaats op een kabel.',
  air_cools: 'De lucht heeft {outside_c:temperature}, het graan {grain_c:temperature}.',
  air_dries: 'De lucht droogt het graan tot {equilibrium_percent:number} %.',
  rain: 'Het regent.',
  too_humid: 'De lucht is te vochtig.',
  too_cold: 'De lucht is te koud.',
  not_cool_enough: 'De lucht is niet koel genoeg.',
  would_add_moisture: 'De lucht zou vocht toevoegen.',
  would_over_dry: 'De lucht zou het graan te veel drogen.',
  grain_is_cool_and_dry: 'Het graan is koel en droog.',
  // Findings
  operation_moves_nothing:
    'De bewerking heeft {moved_kg:mass} verplaatst in {minutes:number} <minutes:minuut|minuten>; verwacht was {expected_kg:mass}',
  use_has_stopped:
    'Er is maar {used_kg:mass} verbruikt in {hours:number} uur; verwacht was minstens {expected_at_least_kg:mass}',
  material_has_fallen: 'Materiaal dat een brug vormde, is ineens gevallen: {fallen_kg:mass}',
  steady_loss:
    'Verliest {loss_kg_per_day:mass} per dag, wat niets verklaart, over {nights:number} <nights:nacht|nachten>',
  step_down: '{loss_kg:mass} was ineens weg, zonder bewerking',
  stuck:
    'Het gewicht staat al {unchanged_h:number} uur op {level_kg:mass}, waarin {expected_use_kg:mass} verbruikt had moeten zijn',
  drift:
    'De weger loopt {drift_kg_per_day:mass} per dag weg, wat niets verklaart, over {nights:number} <nights:nacht|nachten>',
  less_than_noted: 'De weger toont {measured_kg:mass} van de {noted_kg:mass} op de leverbon',
  more_than_noted: 'De weger toont {measured_kg:mass}, meer dan de {noted_kg:mass} op de leverbon',
  scale_differs_always:
    'De weger toont {measured_kg:mass} van de {noted_kg:mass} op de leverbon, zoals bij eerdere leveringen: de weger is fout',
  point_gets_warmer:
    'Een punt van de kabel wordt warmer[: het heeft {temperature_c:temperature?}][, {warmer_by_c:warming?} meer dan eromheen][, en {slope_c_per_day:warming?} per dag erbij]',
  storage_life_used:
    '{used_percent:number} % van de veilige bewaartijd is verbruikt[; bij deze temperatuur <remaining_days:blijft|blijven> er {remaining_days:number?} <remaining_days:dag|dagen>]',
  flows: 'Materiaal stroomt',
  no_loss: 'Geen verlies',
  steady: 'De weger is stabiel',
  as_noted: 'Zoals op de leverbon',
  no_hot_spot_seen: 'Geen broeiplek gezien',
  keeps: '{used_percent:number} % van de veilige bewaartijd is verbruikt',
  withdrawals_not_known:
    'Niet elke uitname is een bewerking van deze dienst, dus verlies of wegloop is niet van verbruik te onderscheiden',
  too_few_nights: 'Van de {nights_needed:number} nodige nachten <nights:is|zijn> er {nights:number} bekend',
  too_few_days: 'Er zijn te weinig dagen bekend',
  no_use_expected: 'Op deze tijd wordt geen verbruik verwacht',
  use_too_small: 'Het verbruik is te klein om te zien',
  no_weights: 'Geen actuele gewichten',
  nearly_empty: 'De silo is bijna leeg',
  other_movement: 'In deze tijd is iets anders verplaatst',
  runs_too_short: 'De bewerking loopt nog niet lang genoeg',
  scale_too_uneven: 'De weger is te onrustig',
  settling: 'Er is onlangs graan gevuld, verplaatst of belucht, dus temperaturen zeggen nog niets',
  no_data: 'Te weinig temperaturen',
  // Refusals
  confirmation_by_oneself: 'dit moet worden bevestigd met uw pincode of wachtwoord',
  confirmation_by_another: 'dit moet worden bevestigd door een ander die hier bedient',
  administrators_need_factor:
    'wie beheert, heeft een tweede factor of een passkey nodig; stel die in op uw eigen pagina',
  confirmation_has_ended: 'de bevestiging is al gebruikt of verlopen; bevestig het opnieuw',
  device_is_offline: 'het apparaat is niet verbonden',
  device_is_silent: 'het apparaat is verbonden, maar heeft te lang niets gestuurd',
  device_not_listening:
    'het apparaat stuurt metingen, maar is niet verbonden voor opdrachten (daarvoor is MQTT nodig), dus er kan niets naartoe worden gestuurd',
  device_is_maintained: 'het apparaat is in onderhoud',
  weight_never_reported: 'het apparaat heeft zijn gewicht nooit gemeld',
  weight_is_old: 'het laatste gewicht is {age:number} s oud',
  weight_not_true: 'het laatste gewicht kan niet kloppen, dus niemand weet hoeveel erin zit',
  weight_before_last_end: 'het laatste gewicht is gelezen voordat de vorige bewerking klaar was',
  rate_too_high: 'het debiet mag hoogstens {limit:quantity} zijn',
  rate_too_low: 'met dit debiet zou het langer dan {days:number} <days:dag|dagen> duren',
  amount_too_small: 'de hoeveelheid is minder dan een gram',
  no_room:
    'er is maar ruimte voor {available:quantity}[: na het laatste gewicht is tot {moved:quantity?} verplaatst]',
  no_stock:
    'er zit maar {available:quantity} in[: na het laatste gewicht is tot {moved:quantity?} verplaatst]',
  operation_under_way: '{operation:Part} loopt op dit apparaat; wacht op het einde, of stop het',
  unreadable_operation_under_way:
    'een bewerking waarvan het gegeven niet te lezen is, bezet dit apparaat; stop haar bij het apparaat, of via haar kenmerk {id:text}',
  stop_in_force: 'een noodstop is van kracht: niets mag bewegen tot iemand hem vrijgeeft',
  stop_not_confirmed_yet:
    'het apparaat heeft de noodstop nog niet bevestigd, dus het kan nog bewegen; vrijgeven kan zodra de stop is bevestigd',
  no_base_to_return_to:
    'het apparaat heeft geen basis om naar terug te keren; stel die in de configuratie in',
  no_base_for_failsafe:
    'het apparaat heeft geen basis om naar terug te keren: stel een basis in, of kies stilstaan of doorgaan als reactie',
  base_used_by_mission:
    'de lopende missie keert bij verlies van de verbinding naar de basis terug: annuleer haar, of verwijder de basis daarna',
  base_outside_fence: 'de basis ligt buiten de geofence',
  target_outside_fence: 'het doel ligt buiten de geofence',
  waypoint_outside_fence: 'routepunt {waypoint:waypoint} ligt buiten de geofence',
  waypoints_outside_fence: '{count:number} <count:routepunt ligt|routepunten liggen> buiten de geofence',
  waypoint_not_reachable:
    'routepunt {waypoint:waypoint} is niet te bereiken of te verlaten zonder de geofence te verlaten',
  battery_not_enough:
    'nodig is {required:number} % van de accu voor {distance:number} m en {back:number} m terug, en {reserve:number} % reserve; er is {available:number} %',
  mission_at_that_time: 'op die tijd loopt of is een andere missie gepland',
  missions_ahead: 'het apparaat heeft nog {count:number} <count:missie|missies> voor zich',
  start_in_the_past: 'het geplande begin ligt in het verleden',
  start_too_far_ahead: 'het geplande begin ligt meer dan een jaar vooruit',
  reading_is_old: 'de laatste waarde ({sensor:sensor}) is {age:number} s oud',
  reading_missing: 'het apparaat heeft geen waarde gemeld: {sensor:sensor}',
  mission_not_in_state: 'de missie {status:missionStatus}, dus ze kan niet worden {change:missionChange}',
  mission_being_cancelled: 'de missie wordt geannuleerd, dus ze kan niet worden {change:missionChange}',
  operation_has_ended: 'de bewerking is al geëindigd: {status:jobStatus}',
  operation_stop_first:
    'de bewerking is in de stand {status:jobStatus}: stop haar eerst; haar einde kan worden verklaard als het apparaat de stop niet bevestigt',
  operation_may_begin:
    'het apparaat kan de bewerking nog beginnen tot {until:time}; daarna kan haar einde worden verklaard',
  operation_may_stop:
    'het apparaat kreeg de stop en kan hem nog bevestigen; het einde kan worden verklaard vanaf {from:time}',
  mission_has_ended: 'de missie is al geëindigd: {status:jobStatus}',
  mission_has_not_begun: 'de missie is niet begonnen: annuleer haar in plaats daarvan',
  mission_may_begin:
    'het apparaat kan de missie nog beginnen tot {until:time}; daarna kan haar einde worden verklaard',
  mission_cancel_first:
    'het apparaat is verbonden: annuleer de missie eerst; haar einde kan worden verklaard als het apparaat dat niet bevestigt',
  mission_may_end:
    'het apparaat moest de missie beëindigen en kan dat nog bevestigen; het einde kan worden verklaard vanaf {from:time}',
  command_has_ended: 'de opdracht is al geëindigd: {status:jobStatus}',
  command_not_sent_yet: 'de opdracht is niet verzonden, en verloopt vanzelf',
  command_may_begin:
    'het apparaat kan de opdracht nog beginnen tot {until:time}; daarna kan haar einde worden verklaard',
  command_is_asked_for:
    'het apparaat is verbonden en wordt gevraagd wat er van de opdracht is geworden; stuur een andere opdracht, of een noodstop',
  emergency_stop_may_be_confirmed:
    'het apparaat kan de noodstop nog bevestigen; het einde kan worden verklaard vanaf {from:time}',
  commands_to_answer: 'het apparaat moet eerst {count:number} <count:opdracht|opdrachten> beantwoorden',
  device_is_busy:
    'er is iets bezig op het apparaat, of wacht erop: {jobs:list}[ en nog {more:number?}]; beëindig dat eerst',
  low_level_not_below_high:
    'het lage niveau ({low:number} %) moet onder het hoge niveau ({high:number} %) liggen',
  critical_level_between:
    'het kritieke niveau ({critical:number} %) moet onder het lage niveau ({low:number} %) of boven het hoge ({high:number} %) liggen',
  critical_battery_not_below_low:
    'de kritieke accustand ({critical:number} %) moet onder de lage ({low:number} %) liggen',
  configuration_changed: 'de configuratie heeft versie {current:number}, niet {given:number}',
  device_changed: 'het apparaat heeft versie {current:number}, niet {given:number}',
  message_waits_already: 'wat u het laatst hebt gevraagd, wacht nog op verzending',
  messages_in_an_hour: 'u hebt er binnen een uur {limit:number} gevraagd, en dat is de grens',
  // Faults of fields
  must_be: 'moet zijn: {what:alternatives}',
  must_be_like: 'moet zijn: {what:part}, zoals {example:text}',
  must_be_at_least: 'moet minstens {limit:number} zijn',
  must_be_above: 'moet groter dan {limit:number} zijn',
  must_be_at_most: 'mag hoogstens {limit:number} zijn',
  must_be_below: 'moet kleiner dan {limit:number} zijn',
  must_not_be_empty: 'mag niet leeg zijn',
  must_have_more_characters: 'moet minstens {limit:number} <limit:teken|tekens> hebben',
  must_have_fewer_characters: 'mag hoogstens {limit:number} <limit:teken|tekens> hebben',
  must_have_an_item: 'moet minstens 1 onderdeel hebben',
  must_have_more_items: 'moet minstens {limit:number} <limit:onderdeel|onderdelen> hebben',
  must_have_fewer_items:
    'mag hoogstens {limit:number} <limit:onderdeel|onderdelen> hebben, niet {count:number}',
  must_not_repeat: 'mag niets twee keer noemen',
  must_have_a_field: 'moet minstens één veld hebben',
  must_have_one_of: 'moet minstens een hebben van {fields:text}',
  must_have_just_one_of: 'moet precies een hebben van {fields:text}',
  must_have_fewer_fields: 'mag hoogstens {limit:number} <limit:veld|velden> hebben, niet {count:number}',
  is_required: 'is verplicht',
  is_not_known: 'is geen bekend veld',
  is_not_valid: 'is niet geldig',
  has_lost_its_plus:
    'heeft een spatie waar de tijdsafwijking begint: in een adres moet + als %2B worden geschreven',
  is_no_time: 'is geen tijd',
  is_out_of_range: 'ligt buiten elk bereik',
  must_be_before_to: 'moet voor „tot” liggen',
  must_be_one_of_zones: 'moet een van {zones:text} zijn: de silo’s daar liggen in verschillende tijdzones',
  must_be_to_come: 'moet in de toekomst liggen',
  has_passed: 'is voorbij',
  is_taken: 'is bezet',
  is_too_easy: 'is te makkelijk te raden',
  is_listed_twice: 'staat er twee keer',
  is_declared_twice: 'is twee keer opgegeven',
  is_that_of_another_sensor: 'is van een andere sensor',
  is_a_standard_name: 'is de naam van een standaardsensor of -veld',
  is_no_declared_sensor: 'is geen opgegeven sensor van dit apparaat',
  is_no_value_of_reading: 'noemt geen waarde van deze meting',
  is_less_than_a_gram: 'is minder dan een gram',
  must_be_at_most_amount: 'mag hoogstens {limit:quantity} zijn',
  must_be_greater_than_min: 'moet groter zijn dan het minimum',
  must_be_between: 'moet tussen {min:number} en {max:number} {unit:text} liggen',
  must_be_below_high_level: 'moet onder het hoge niveau ({limit:number}) liggen',
  must_be_outside_levels: 'moet buiten laag tot hoog niveau liggen',
  must_be_below_low_battery: 'moet onder de lage accustand ({limit:number}) liggen',
  must_have_one_side: 'moet een boven- of een ondergrens hebben',
  must_differ_from_rule: 'moet van /rules/{rule:number} verschillen in sensor, kant of ernst',
  must_be_a_sensor: 'moet een sensor van het apparaat zijn: {sensors:text}',
  must_not_be_from: 'mag niet dezelfde tijd zijn als „van”',
  must_be_above_step: 'moet groter zijn dan {limit:number}, dat van de stap ervoor',
  must_not_have_two_at_once: 'mag geen twee leveringen op dezelfde tijd hebben',
  must_be_after_start: 'moet na het begin ({started:date}) liggen',
  must_be_plain_number: 'moet een getal zonder duizendtalscheiding zijn, zoals 20000 of 20000,5',
  is_no_column: 'is geen bekende kolom; er zijn {columns:text}',
  is_that_of_row: 'staat al in regel {row:number}',
  is_beyond_the_key: 'ligt waar deze sleutel geen apparaat mag registreren',
  has_open_quote: 'heeft een aanhalingsteken dat niet sluit',
  has_text_after_quote: 'heeft tekst na het aanhalingsteken dat een cel sluit',
  has_too_many_cells: 'heeft te veel cellen',
  has_more_cells: 'heeft meer cellen dan de eerste regel',
  // What a value has to be
  a_text: 'een tekst',
  a_number: 'een getal',
  a_whole_number: 'een geheel getal',
  true_or_false: 'waar of onwaar',
  an_object: 'een object',
  an_array: 'een lijst',
  null_value: 'null (leeg)',
  this_value: 'de waarde {value:text}',
  one_of: 'een van {options:text}',
  a_match: 'een tekst die past bij {pattern:text}',
  time_with_offset: 'een tijd met tijdsafwijking, zoals {example:text}',
  whole_number_between: 'een geheel getal van {min:number} tot {max:number}',
  text_of_one_line: 'een tekst zonder stuurtekens',
  text_of_lines: 'een tekst zonder stuurtekens, behalve tabs en regeleinden',
  printable_characters: '1 tot {limit:number} afdrukbare tekens zonder spaties',
  identifier: '1 tot 64 letters, cijfers, - of _',
  sensor_identifier: '1 tot 64 letters, cijfers, - of _, het eerste een letter of cijfer',
  sensor_type: '1 tot 64 kleine letters, cijfers of _, het eerste een letter',
  event_number: 'het kenmerk van een gebeurtenis',
  base_64_url: '1 tot {limit:number} tekens base64url',
  base_32: '{limit:number} tekens van A tot Z en 2 tot 7',
  login_name:
    '1 tot 63 tekens van a tot z, 0 tot 9, punt, koppelteken en liggend streepje, het eerste een letter of cijfer',
  name_that_is_seen: 'een naam zonder stuurtekens en onzichtbare tekens',
  name_of_person: 'een naam zonder onzichtbare tekens, niet beginnend met een spatie',
  pin_digits: '4 tot 8 cijfers',
  label_name:
    'de naam van een label: 1 tot 40 kleine letters, cijfers, punten, - of _, het eerste een letter',
  label_value:
    'de waarde van een label: 1 tot {limit:number} tekens zonder komma’s en zonder spaties aan de randen',
  label_selector: 'een label zoals product=wheat, of de naam van een label',
  address_of_view: 'een adres van de bedieningspagina dat met #/ begint',
  threshold_rule: 'een grensregel zoals temp_3 above warning',
  time_zone_name: 'een tijdzone zoals Europe/Berlin',
  local_day: 'een kalenderdag, zoals 2026-03-29',
  time_of_day: 'een tijd van 00:00 tot 23:59',
  days_ahead: 'een aantal dagen van 1d tot 30d',
  email_address: 'een e-mailadres zoals ada@example.com',
  push_service_address: 'het adres van een pushdienst die deze dienst kent',
  web_address: 'een adres dat begint met http:// of https://, zonder spaties',
  compartments_of_truck:
    '1 tot {count:number} hoeveelheden in kg, elk groter dan 0 en hoogstens {limit:number}, gescheiden door komma’s',
  // Refused logins and faults of the device link
  login_without_id:
    'client-id en gebruikersnaam moeten het kenmerk van het apparaat zijn, met zijn geheim als wachtwoord',
  will_on_other_topic: 'een laatste wil hoort op het eigen statusonderwerp van het apparaat',
  storage_silent_at_login: 'de opslag antwoordde niet of het geheim juist is',
  wrong_login: 'onbekend apparaat of fout geheim',
  other_mqtt_version: 'alleen MQTT 3.1.1 wordt ondersteund, niet {protocol:text}',
  message_not_taken: 'een bericht kon niet worden aangenomen',
  connection_not_ended: 'de verbinding van het apparaat kon niet worden beëindigd: {error:text}',
  topic_of_others: 'op dit onderwerp mag het apparaat niet publiceren',
  does_not_read: 'het apparaat leest niet wat het wordt gestuurd',
  left_unacknowledged: 'het apparaat liet {count:number} <count:bericht|berichten> onbevestigd',
  left_unreleased: 'het apparaat gaf {count:number} <count:bericht|berichten> van QoS 2 niet vrij',
  packet_not_for_server: 'pakkettype {type:number} is niet voor een server',
  packet_too_large: 'het pakket is groter dan {limit:number} bytes',
  no_connect_first: 'de verbinding begint niet met CONNECT',
  packet_malformed: 'het pakket is ongeldig: {what:text}',
  // Parts of other sentences
  feed: 'vullen met {amount:quantity}[ in {target:text?}]',
  discharge: 'lossen van {amount:quantity}[ in {target:text?}]',
  feed_at_device: 'vullen, begonnen bij het apparaat',
  discharge_at_device: 'lossen, begonnen bij het apparaat',
  operation_at_device: 'bewerking, begonnen bij het apparaat',
  operation_in_state: '{operation:Part} ({status:jobStatus})',
  command_in_state: 'de opdracht „{command:command}” ({status:jobStatus})',
  mission_in_state: '{mission:mission} ({status:missionStatus})',
  sensor_silent: 'geen {sensor:sensor} sinds {since:time}',
  sensor_implausible:
    '{sensor:sensor} meldt {value:quantity}, wat niet kan kloppen: buiten {min:quantity} tot {max:quantity}',
  sensor_invalid: '{sensor:sensor} meldt {value:quantity}, volgens het apparaat niet geldig',
  clock_ahead: 'zijn klok loopt {offset:duration} voor',
  clock_behind: 'zijn klok loopt {offset:duration} achter',
  times_in_other_unit: 'zijn tijden zijn in {unit:timeUnit}, niet in milliseconden',
  value_not_a_number: '{sensor:sensor} is {found:found}, geen getal',
  sensor_not_declared: 'de sensor {sensor:sensor} is niet opgegeven',
  other_cause: '{text:text}',
  device_said: '{words:text}',
  device_gave_no_reason: 'het apparaat gaf geen reden',
  ran_too_long: 'ze liep langer dan haar grens',
  weight_does_not_move: 'het gewicht verandert niet',
  start_not_sent: 'de start is niet verzonden, dus er bewoog niets: {why:notSent}',
  declared_ended:
    'beëindigd verklaard door {person:text}[ ({reason:text?})]; het apparaat heeft het niet gemeld',
  never_known: 'het apparaat kent deze bewerking niet, en of ze begon is niet gemeld[; {scale:part?}]',
  no_longer_known:
    'het apparaat kent deze bewerking niet meer, en hoeveel is verplaatst is niet gemeld[; {scale:part?}]',
  scale_shows: 'de weger toont {moved:quantity} verplaatst',
  scale_showed: 'terwijl ze liep toonde de weger {moved:quantity} verplaatst',
  scale_disturbed: 'de weger kan het niet zeggen, omdat een andere bewerking ook iets verplaatste',
  scale_without_start: 'de weger kan het niet zeggen, omdat het gewicht ervoor niet bekend is',
  scale_silent: 'de weger heeft sinds de start niets gemeld',
  moved_again: 'er bewoog weer iets om {again:time} na een eerder einde',
  moved_again_after_declared:
    'er bewoog weer iets om {again:time}, nadat {person:text} haar om {declared:time} beëindigd had verklaard',
  declared_before: 'daarvoor had {person:text} haar om {declared:time} beëindigd verklaard',
  amount_not_reported: 'hoeveel is verplaatst, is niet gemeld',
  amount_last_reported:
    'de laatste melding was {moved:quantity} verplaatst, en hoeveel in totaal is niet gemeld',
  stop_refused: 'het weigerde de stop[ ({reason:text?})]',
  stop_failed: 'het kon niet stoppen[ ({reason:text?})]',
  stop_cancelled: 'het annuleerde de stop[ ({reason:text?})]',
  stop_not_known: 'het kent de stop niet[ ({reason:text?})]',
  expired_unsent: 'ze verliep voordat ze kon worden verzonden',
  nothing_sent: 'het apparaat is niet verbonden, dus er is niets verzonden',
  stop_came_first: 'een noodstop ging voor',
  outcome_forgotten: 'het apparaat kent haar niet meer; de uitkomst is onbekend',
  did_not_arrive: 'het apparaat kent haar niet: ze kwam niet op tijd aan, of zijn geheugen ging verloren',
  did_not_connect: 'het apparaat verbond niet op tijd',
  superseded: 'het apparaat annuleerde haar voor een andere',
  no_word_of_it: 'het apparaat zegt niet wat ervan is geworden',
  was_cancelled: 'ze is geannuleerd',
  could_not_begin: 'ze kon niet op tijd beginnen',
  upload_unanswered: 'het apparaat beantwoordde het verzenden niet op tijd, dus het kreeg nooit de start',
  start_ignored: 'het apparaat kreeg de start, en meldt dat het niet is begonnen',
  mission_not_sent:
    'het apparaat was niet verbonden toen het de start moest krijgen, dus er is niets verzonden',
  stop_ended_it: 'een noodstop beëindigde haar',
  stop_was_in_force: 'een noodstop was van kracht, dus ze begon niet',
  mission_forgotten:
    'het apparaat kent de missie niet meer, dus de uitkomst is onbekend; ze wordt niet opnieuw gestart',
  not_heard_again: 'van het apparaat is niets meer gehoord, dus de uitkomst is onbekend',
  ended_early: 'het apparaat beëindigde haar te vroeg en gaf geen reden',
};

type Words = { readonly [Kind in keyof typeof WORDS]: Readonly<Record<keyof (typeof WORDS)[Kind], string>> };

export const SENTENCE_WORDS: Words = {
  job: { operation: 'een bewerking', mission: 'een missie', emergency_stop: 'een noodstop' },
  failsafe: { continue: 'doorgaan', hold: 'stilstaan', return_to_base: 'naar zijn basis terugkeren' },
  found: {
    text: 'een tekst',
    boolean: 'waar of onwaar',
    null: 'leeg',
    object: 'een object',
    list: 'een lijst',
  },
  timeUnit: { seconds: 'seconden', microseconds: 'microseconden', nanoseconds: 'nanoseconden' },
  notSent: {
    not_connected: 'het apparaat is niet verbonden',
    not_subscribed: 'het apparaat is verbonden, maar luistert niet naar opdrachten',
    expired: 'ze kon niet op tijd worden verzonden',
    in_flight: 'een ander bericht aan het apparaat was in de weg',
  },
  missionChange: { pause: 'gepauzeerd', resume: 'hervat' },
  command: {
    move_to_coordinates: 'ga naar een plaats',
    hold: 'stilstaan',
    resume: 'doorgaan',
    return_to_base: 'terug naar de basis',
    scan: 'scannen',
    collect_sample: 'monster nemen',
    emergency_stop: 'noodstop',
    release_emergency_stop: 'vrijgave van de noodstop',
  },
  jobStatus: {
    started: 'begonnen',
    in_progress: 'bezig',
    unconfirmed: 'onbevestigd',
    stopping: 'wordt gestopt',
    stopped: 'gestopt',
    completed: 'voltooid',
    failed: 'mislukt',
    queued: 'wacht',
    sent: 'verzonden',
    executing: 'wordt uitgevoerd',
    succeeded: 'gelukt',
    rejected: 'geweigerd',
    cancelled: 'geannuleerd',
    expired: 'verlopen',
    timed_out: 'geen antwoord',
    scheduled: 'gepland',
    dispatched: 'naar het apparaat verzonden',
    paused: 'gepauzeerd',
    aborted: 'afgebroken',
    missed: 'gemist',
  },
  missionRequest: { pause: 'de pauze', resume: 'het hervatten', cancel: 'het einde' },
  missionStatus: {
    scheduled: 'is voor later gepland',
    dispatched: 'is naar het apparaat verzonden, maar niet begonnen',
    in_progress: 'loopt',
    paused: 'is gepauzeerd',
    completed: 'is voltooid',
    aborted: 'is afgebroken',
    failed: 'is mislukt',
    missed: 'is gemist',
    cancelled: 'is geannuleerd',
  },
  animals: {
    broiler: 'vleeskuikens',
    layer: 'leghennen',
    pig: 'varkens',
    dairy: 'melkkoeien',
    other: 'andere dieren',
  },
  animalsField: {
    heads: 'hun aantal',
    started_on: 'de dag sinds wanneer ze er zijn',
    ends_on: 'de dag waarop ze weggaan',
  },
  comparison: { more: 'meer', less: 'minder' },
  weekday: {
    0: 'maandag',
    1: 'dinsdag',
    2: 'woensdag',
    3: 'donderdag',
    4: 'vrijdag',
    5: 'zaterdag',
    6: 'zondag',
  },
};
