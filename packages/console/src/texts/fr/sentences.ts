import type { SentenceCode } from '@granary/contract/sentences/english';
import type { WORDS } from '@granary/contract/sentences/words';

/** The template of every code; what the templates can contain is said in `contract/src/sentences/sentence.ts`. */
export const SENTENCES: Readonly<Record<SentenceCode, string>> = {
  // Alerts
  level_below: 'Niveau à {level:percent}, au seuil de {limit:number} % ou en dessous',
  level_above: 'Niveau à {level:percent}, au seuil de {limit:number} % ou au-dessus',
  battery_below: 'Batterie à {level:percent}, au seuil de {limit:number} % ou en dessous',
  sensor_above: '{sensor:Sensor} : {value:quantity}, au seuil de {limit:quantity} ou au-dessus',
  sensor_below: '{sensor:Sensor} : {value:quantity}, au seuil de {limit:quantity} ou en dessous',
  sensor_above_named:
    '{name:text} : {sensor:sensor} à {value:quantity}, au seuil de {limit:quantity} ou au-dessus',
  sensor_below_named:
    '{name:text} : {sensor:sensor} à {value:quantity}, au seuil de {limit:quantity} ou en dessous',
  sensors_silent:
    'L’appareil est connecté, mais des mesures manquent : {sensors:list}[, {more:number?} <more:autre|autres>]',
  sensors_implausible: '{sensors:Clauses}[ ; {more:number?} <more:autre|autres>]',
  went_offline: 'L’appareil n’est pas connecté',
  went_offline_during: 'L’appareil n’est pas connecté pendant {job:job}',
  readings_refused:
    'Ses mesures sont refusées : {cause:part} ({messages:number} <messages:message|messages> de suite depuis {since:time})',
  readings_partly_refused:
    'Une partie de ses mesures est refusée : {cause:part} ({messages:number} <messages:message|messages> de suite depuis {since:time})',
  clock_ahead_or_late:
    'Son horloge avance de {offset:duration}, ou il envoie ses mesures avec {offset:duration} de retard : elles comptent comme anciennes, donc aucun niveau ni seuil n’est surveillé',
  clock_behind_or_late:
    'Son horloge retarde de {offset:duration}, ou il envoie ses mesures avec {offset:duration} de retard : elles comptent comme anciennes, donc aucun niveau ni seuil n’est surveillé',
  two_clients:
    'Deux programmes se connectent comme cet appareil et se remplacent : {takeovers:number} fois en une minute, depuis {addresses:names}',
  two_clients_same_address:
    'Deux programmes se connectent comme cet appareil et se remplacent : {takeovers:number} fois en une minute, tous depuis {address:text}',
  two_clients_or_bad_link:
    'Deux programmes se connectent comme cet appareil, ou sa connexion se perd sans cesse : {takeovers:number} nouvelles connexions en une minute ; seul le broker connaît leurs adresses',
  maintenance_overdue: 'La maintenance était prévue pour {due:time}',
  operation_stalled: '{operation:Part} : plus aucun mouvement[ à {moved:quantity?}] : {why:part}',
  operation_overran: '{operation:Part} : pas de fin à temps[, à {moved:quantity?}] : {why:part}',
  operation_refused: '{operation:Part} : refus de l’appareil, rien n’a été déplacé : {why:part}',
  operation_outcome_unknown: '{operation:Part} : fin sans résultat connu : {why:part}',
  operation_declared_ended: '{operation:Part} : {why:part}',
  operation_broke_off: '{operation:Part} : échec[ à {moved:quantity?}] : {why:part}',
  operation_stop_unconfirmed:
    '{operation:Part} : l’appareil n’a pas confirmé l’arrêt et déplace peut-être encore du produit ; l’arrêt est répété jusqu’à ce qu’il le confirme',
  operation_unasked: 'Une opération a été lancée sur l’appareil, pas par ce service',
  feed_unasked: 'Un remplissage a été lancé sur l’appareil, pas par ce service',
  discharge_unasked: 'Une vidange a été lancée sur l’appareil, pas par ce service',
  operation_imbalance:
    '{operation:Part} : l’appareil a signalé {reported:quantity}, la balance indique {measured:quantity}, un écart de {difference:number} %',
  outside_fence: 'L’appareil est hors de sa clôture virtuelle, à {place:place} ; il doit {action:failsafe}',
  mission_ended_badly: '{mission:mission} : {status:missionStatus}[ : {why:part?}]',
  mission_start_unanswered:
    '{mission:mission} : l’appareil a reçu l’ordre de départ et ne dit pas s’il a commencé',
  mission_pause_unconfirmed:
    '{mission:mission} : l’appareil n’a pas confirmé la pause et roule peut-être encore ; l’ordre est répété jusqu’à ce qu’il la confirme',
  mission_end_unconfirmed:
    '{mission:mission} : l’appareil n’a pas confirmé la fin et roule peut-être encore ; l’ordre est répété jusqu’à ce qu’il la confirme',
  stop_unconfirmed:
    'L’appareil n’a pas confirmé l’arrêt d’urgence et bouge peut-être encore ; l’arrêt est répété jusqu’à ce qu’il le confirme[ ; sa dernière réponse : {answer:part?}]',
  may_run_empty: 'Peut être vide dans {left:duration}, et aucune livraison n’est prévue avant',
  nothing_usable_left: 'Il ne reste rien d’utilisable',

  // Operations
  start_given_out:
    'Le démarrage a été donné à {started:time} ; la confirmation de l’appareil est attendue jusqu’à {until:time}.',
  operation_acknowledged:
    'L’appareil a confirmé le démarrage et n’a pas encore signalé d’avancement ; la fin est attendue jusqu’à {until:time}, puis l’opération est arrêtée.',
  operation_moving:
    'L’appareil a signalé {moved:quantity} sur {target:quantity} ; la fin est attendue jusqu’à {until:time}, puis l’opération est arrêtée.',
  operation_moving_unasked:
    'L’appareil a signalé {moved:quantity} ; l’opération a été lancée sur l’appareil, pas par ce service.',
  start_unacknowledged:
    'L’appareil n’a pas confirmé le démarrage et peut commencer jusqu’à {until:time} ; il est interrogé jusqu’à ce qu’il réponde, et s’il ne connaît pas l’opération après cette heure, elle est terminée.',
  operation_unheard:
    'Plus de nouvelles depuis {heard:time}, l’opération continue peut-être[, au plus tard jusqu’à {limit:time?} par sa propre limite] ; l’appareil sera interrogé dès qu’il sera connecté.',
  stop_requested:
    'Un arrêt a été demandé à {requested:time} ; il est répété jusqu’à ce que l’appareil le confirme[, ou dise après {decided:time?} qu’il ne connaît pas l’opération].',
  stopping_because:
    'Arrêt en cours : {why:part} ; l’arrêt est répété jusqu’à ce que l’appareil le confirme[, ou dise après {decided:time?} qu’il ne connaît pas l’opération].',
  stopping_moved_again:
    'Du produit a encore bougé à {again:time}, après la fin ; l’arrêt est répété jusqu’à ce que l’appareil le confirme[, ou dise après {decided:time?} qu’il ne connaît pas l’opération].',
  stopping_moved_after_declared:
    'Du produit a encore bougé à {again:time}, après que {person:text} a déclaré l’opération terminée à {declared:time} ; l’arrêt est répété jusqu’à ce que l’appareil le confirme[, ou dise après {decided:time?} qu’il ne connaît pas l’opération].',
  operation_completed:
    'L’appareil a signalé la fin de l’opération, avec {moved:quantity}[ ; {scale:part?}][ ; {before:part?}].',
  operation_stopped:
    'L’appareil a confirmé l’arrêt, avec {moved:quantity}[ ; {scale:part?}][ ; {before:part?}].',
  operation_not_running:
    'L’appareil ne connaît pas l’opération, elle n’est donc pas en cours ; {reported:part} ; {scale:part}.',
  operation_start_refused: 'L’appareil a refusé le démarrage, rien n’a été déplacé : {why:part}.',
  operation_not_sent: '{why:Part}.',
  operation_failed_unknown: 'Échec : {why:part}.',
  operation_failed_unreported: 'Échec : {why:part} ; {reported:part} ; {scale:part}.',
  operation_failed:
    'Échec : {why:part} ; l’appareil a signalé {moved:quantity}[ ; {scale:part?}][ ; {before:part?}].',
  operation_end_declared: '{why:Part} ; {reported:part}[ ; {scale:part?}].',
  stop_sent_not_stored:
    'L’arrêt a été envoyé à l’appareil ; il n’a pas encore pu être enregistré et il est répété jusqu’à ce qu’il le soit.',
  stop_waits_not_stored:
    'L’appareil n’est pas connecté, l’arrêt sera envoyé dès qu’il le sera ; il n’a pas encore pu être enregistré et il est répété jusqu’à ce qu’il le soit.',

  // Steps of a trace
  feed_requested: 'Remplissage de {amount:quantity}[ dans {target:text?}] à {rate:quantity}.',
  discharge_requested: 'Vidange de {amount:quantity}[ dans {target:text?}] à {rate:quantity}.',
  start_checked:
    'Accepté[ avec {inside:quantity?} dans le silo] : l’appareil peut déplacer au plus {most:quantity} en {seconds:number} s.',
  start_sent: 'Le démarrage a été envoyé, valable jusqu’à {until:time}.',
  start_was_not_sent: '{why:Part}.',
  begun_at_device: 'L’appareil a signalé une opération qu’il a commencée lui-même.',
  device_confirmed: 'L’appareil a confirmé qu’il a reçu l’opération.',
  last_report: 'Dernier message de l’appareil : {moved:quantity} déplacés.',
  last_report_unknown: 'L’appareil a signalé qu’il ne connaît pas l’opération.',
  report_requested: 'Le service a demandé un compte rendu à l’appareil.',
  stop_was_requested: 'Un arrêt a été demandé.',
  service_stops: 'Le service arrête l’opération : {why:part}.',
  service_stops_moved_again: 'Le service arrête l’opération : du produit a bougé après la fin.',
  stop_last_sent: 'L’arrêt a été envoyé pour la dernière fois à l’appareil.',
  weight_last_changed: 'La balance a vu le poids changer pour la dernière fois.',
  scale_measured: 'La balance indique {moved:quantity} déplacés.',
  end_declared: '{person:text} est allé voir et a déclaré l’opération terminée[ : {reason:text?}].',

  job_on_offline_device: 'L’appareil n’est pas connecté, et une tâche y est en cours.',

  // Commands
  command_queued: 'Attend que l’appareil se connecte[, jusqu’à {until:time?}].',
  command_sent: 'Envoyé ; l’appareil n’a pas encore répondu et il est interrogé jusqu’à {until:time}.',
  command_executing: 'L’appareil l’exécute ; son prochain message est attendu jusqu’à {until:time}.',
  command_succeeded: 'L’appareil a signalé qu’il l’a exécuté.',
  command_timed_out:
    'Le résultat n’est pas connu : l’appareil n’a pas répondu et il est interrogé jusqu’à {until:time}.',
  command_failed: 'Échec[ : {why:part?}].',
  command_rejected: 'Refusé par l’appareil[ : {why:part?}].',
  command_cancelled: 'Annulé[ : {why:part?}].',
  command_expired: 'Pas exécuté[ : {why:part?}].',
  command_end_declared: '{why:Part}.',
  emergency_stop_waits:
    'L’appareil n’est pas connecté ; l’arrêt d’urgence sera envoyé dès qu’il le sera, et d’ici là personne ne sait s’il est immobile.',
  emergency_stop_repeated:
    'Répété chaque seconde jusqu’à ce que l’appareil confirme qu’il est immobile[ ; sa dernière réponse : {answer:part?}].',
  emergency_stop_confirmed:
    'L’appareil a confirmé qu’il est immobile ; il n’accepte aucun mouvement tant que personne ne lève l’arrêt d’urgence.',
  emergency_stop_released:
    'L’appareil a confirmé qu’il est immobile ; cet arrêt d’urgence n’est plus en vigueur.',
  emergency_stop_ended: 'Terminé sans confirmation[ : {why:part?}].',
  emergency_stop_declared:
    '{why:Part} ; l’arrêt d’urgence n’est plus répété et reste en vigueur jusqu’à ce que quelqu’un le lève.',
  emergency_stop_declared_released: '{why:Part} ; cet arrêt d’urgence n’est plus en vigueur.',

  // Missions
  mission_scheduled:
    'Commence à {start:time} si l’appareil est connecté et libre ; sans départ avant {until:time}, elle est manquée.',
  mission_may_have_begun:
    'L’appareil l’a peut-être commencée et doit encore confirmer {request:missionRequest}.',
  mission_told_to_start:
    'L’appareil a reçu l’ordre de départ à {told:time} et n’a pas signalé qu’il a commencé ; il est interrogé toutes les quelques secondes[ ; sans message, elle compte comme perdue à {lost:time?}].',
  mission_sent: 'Envoyée à l’appareil, dont la réponse est attendue jusqu’à {until:time}.',
  mission_accepted:
    'L’appareil l’a reçue ; il recevra l’ordre de départ à {start:time}, ou dès qu’il sera connecté et libre, jusqu’à {until:time}.',
  mission_under_way:
    'En cours, {reached:number} sur {waypoints:number} <waypoints:point de passage atteint|points de passage atteints>[ ; l’appareil doit encore confirmer {request:missionRequest?}][, jusqu’à {until:time?}].',
  mission_paused:
    'En pause, {reached:number} sur {waypoints:number} <waypoints:point de passage atteint|points de passage atteints>[ ; l’appareil doit encore confirmer {request:missionRequest?}][, jusqu’à {until:time?}].',
  mission_under_way_silent:
    'En cours aux dernières nouvelles, {reached:number} sur {waypoints:number} <waypoints:point de passage atteint|points de passage atteints> ; plus rien depuis {since:time}, et dans ce cas l’appareil doit {action:failsafe}[ ; sans message, elle compte comme perdue à {lost:time?}].',
  mission_paused_silent:
    'En pause aux dernières nouvelles, {reached:number} sur {waypoints:number} <waypoints:point de passage atteint|points de passage atteints> ; plus rien depuis {since:time}, et dans ce cas l’appareil doit {action:failsafe}[ ; sans message, elle compte comme perdue à {lost:time?}].',
  mission_completed: 'L’appareil a signalé qu’elle est terminée.',
  mission_aborted: 'Abandonnée[ : {why:part?}].',
  mission_failed: 'Échec[ : {why:part?}].',
  mission_missed: 'Manquée[ : {why:part?}].',
  mission_cancelled: 'Annulée[ : {why:part?}].',

  // Forecasts
  uses: 'Consomme {kg_per_day:mass} par jour[, {change_percent:change?} que la semaine précédente].',
  animals_curve:
    'La consommation est celle d’animaux ({kind:animals}) au jour {age_days:number}, à {percent_of_curve:number} % de leur courbe.',
  animals_end: 'Les animaux partent le {day:date}.',
  animals_do_not_match:
    'La consommation est à {percent_of_curve:number} % de la courbe des animaux, la courbe n’est donc pas utilisée.',
  animals_not_plausible: 'Les animaux saisis ne peuvent pas être justes : vérifiez {what:animalsField}.',
  weekdays: 'Peu de consommation le {quiet:weekdays}.',
  refills: 'Recharges au cours <days:du dernier jour|des {days:number} derniers jours> : {count:number}.',
  learning:
    'Sur {needed:number} jours complets nécessaires à une prévision, {days:number} <days:est connu|sont connus>.',
  stale: 'Le poids actuel n’est pas connu[ : le dernier date de {hours:number?} h, de {last:time?}].',
  weight_unchanged: 'Le poids n’a pas changé depuis {since:time}, alors qu’il devrait baisser.',
  idle: 'Aucune consommation depuis {days:number} <days:jour|jours>.',
  lasts_longer: 'Suffit pour plus de {days:number} <days:jour|jours>.',
  wide_range:
    'La consommation varie tant que la date la plus tardive est {ratio:number} fois plus loin que la plus proche.',
  capacity_not_plausible: 'La capacité de {capacity_kg:mass} ne correspond pas au poids de {level_kg:mass}.',
  order_overdue: 'Il fallait commander il y a {hours:number} h.',

  // Grain
  no_grain: 'La configuration n’indique aucun grain, et aucun capteur n’a de place sur une sonde.',
  air_cools: 'L’air est à {outside_c:temperature}, le grain à {grain_c:temperature}.',
  air_dries: 'L’air sèche le grain vers {equilibrium_percent:number} %.',
  rain: 'Il pleut.',
  too_humid: 'L’air est trop humide.',
  too_cold: 'L’air est trop froid.',
  not_cool_enough: 'L’air n’est pas assez frais.',
  would_add_moisture: 'L’air apporterait de l’humidité.',
  would_over_dry: 'L’air sécherait trop le grain.',
  grain_is_cool_and_dry: 'Le grain est frais et sec.',

  // Findings
  operation_moves_nothing:
    'L’opération a déplacé {moved_kg:mass} en {minutes:number} <minutes:minute|minutes> ; {expected_kg:mass} étaient attendus',
  use_has_stopped:
    'Seulement {used_kg:mass} consommés en {hours:number} <hours:heure|heures> ; au moins {expected_at_least_kg:mass} étaient attendus',
  material_has_fallen: 'Du produit qui formait une voûte est tombé d’un coup : {fallen_kg:mass}',
  steady_loss:
    'Perd {loss_kg_per_day:mass} par jour sans explication, sur {nights:number} <nights:nuit|nuits>',
  step_down: '{loss_kg:mass} ont disparu d’un coup, sans opération',
  stuck:
    'Le poids reste à {level_kg:mass} depuis {unchanged_h:number} <unchanged_h:heure|heures>, alors que {expected_use_kg:mass} auraient dû être consommés',
  drift:
    'La balance dérive de {drift_kg_per_day:mass} par jour sans explication, sur {nights:number} <nights:nuit|nuits>',
  less_than_noted: 'La balance indique {measured_kg:mass} sur les {noted_kg:mass} du bon de livraison',
  more_than_noted: 'La balance indique {measured_kg:mass}, plus que les {noted_kg:mass} du bon de livraison',
  scale_differs_always:
    'La balance indique {measured_kg:mass} sur les {noted_kg:mass} du bon de livraison, comme lors des livraisons précédentes : la balance est fausse',
  point_gets_warmer:
    'Un point de la sonde se réchauffe[ : il est à {temperature_c:temperature?}][, {warmer_by_c:warming?} de plus qu’autour][, et gagne {slope_c_per_day:warming?} par jour]',
  storage_life_used:
    '{used_percent:number} % de la durée de conservation sûre sont écoulés[ ; il reste {remaining_days:number?} <remaining_days:jour|jours> à la température actuelle]',
  flows: 'Le produit s’écoule',
  no_loss: 'Pas de perte',
  steady: 'La balance est stable',
  as_noted: 'Conforme au bon de livraison',
  no_hot_spot_seen: 'Aucun point chaud vu',
  keeps: '{used_percent:number} % de la durée de conservation sûre sont écoulés',
  withdrawals_not_known:
    'Tous les prélèvements ne sont pas des opérations du service, une perte ou une dérive ne se distingue donc pas de la consommation',
  too_few_nights:
    'Sur {nights_needed:number} nuits nécessaires, {nights:number} <nights:est connue|sont connues>',
  too_few_days: 'Trop peu de jours sont connus',
  no_use_expected: 'Aucune consommation n’est attendue à cette heure',
  use_too_small: 'La consommation est trop faible pour être vue',
  no_weights: 'Pas de poids actuels',
  nearly_empty: 'Le silo est presque vide',
  other_movement: 'Autre chose a été déplacé pendant ce temps',
  runs_too_short: 'L’opération ne dure pas depuis assez longtemps',
  scale_too_uneven: 'La balance est trop irrégulière',
  settling: 'Grain rempli, déplacé ou ventilé récemment : les températures ne disent encore rien',
  no_data: 'Trop peu de températures',

  // Refusals
  administrators_need_factor:
    'pour administrer, il faut un second facteur ou une clé d’accès ; configurez-les sur votre page',
  confirmation_by_oneself: 'il faut le confirmer avec votre code PIN ou votre mot de passe',
  confirmation_by_another: 'une autre personne qui travaille ici doit le confirmer',
  confirmation_has_ended: 'la confirmation a déjà servi ou n’est plus valable ; confirmez à nouveau',
  device_is_offline: 'l’appareil n’est pas connecté',
  device_is_silent: 'l’appareil est connecté, mais n’a rien envoyé depuis trop longtemps',
  device_not_listening:
    'l’appareil envoie des mesures, mais n’est pas connecté pour les ordres (il lui faut MQTT), rien ne peut donc lui être envoyé',
  device_is_maintained: 'l’appareil est en maintenance',
  weight_never_reported: 'l’appareil n’a jamais signalé son poids',
  weight_is_old: 'le dernier poids date de {age:number} s',
  weight_not_true:
    'le dernier poids ne peut pas être vrai, personne ne sait donc combien il y a dans le silo',
  weight_before_last_end: 'le dernier poids a été mesuré avant la fin de l’opération précédente',
  rate_too_high: 'le débit doit être au plus de {limit:quantity}',
  rate_too_low: 'avec ce débit, il faudrait plus de {days:number} <days:jour|jours>',
  amount_too_small: 'la quantité est inférieure à un gramme',
  no_room:
    'il n’y a de place que pour {available:quantity}[ : jusqu’à {moved:quantity?} ont été déplacés après la mesure du dernier poids]',
  no_stock:
    'il n’y a que {available:quantity} dans le silo[ : jusqu’à {moved:quantity?} ont été déplacés après la mesure du dernier poids]',
  operation_under_way: '{operation:Part} en cours sur cet appareil ; attendez la fin ou arrêtez l’opération',
  unreadable_operation_under_way:
    'une opération dont l’enregistrement est illisible occupe cet appareil ; arrêtez-la sur l’appareil, ou par son identifiant {id:text}',
  stop_in_force: 'un arrêt d’urgence est en vigueur : rien ne doit bouger tant que personne ne le lève',
  stop_not_confirmed_yet:
    'l’appareil n’a pas encore confirmé l’arrêt d’urgence et bouge peut-être encore ; il pourra être levé une fois confirmé',
  no_base_to_return_to: 'l’appareil n’a pas de base où revenir ; indiquez-en une dans sa configuration',
  no_base_for_failsafe:
    'l’appareil n’a pas de base où revenir : indiquez une base, ou choisissez s’arrêter ou continuer comme actions de sécurité',
  base_used_by_mission:
    'la mission en cours revient à la base si la liaison est perdue : annulez-la, ou retirez la base après sa fin',
  base_outside_fence: 'la base est hors de la clôture virtuelle',
  target_outside_fence: 'la destination est hors de la clôture virtuelle',
  waypoint_outside_fence: 'le point de passage {waypoint:waypoint} est hors de la clôture virtuelle',
  waypoints_outside_fence:
    '{count:number} <count:point de passage est|points de passage sont> hors de la clôture virtuelle',
  waypoint_not_reachable:
    'le point de passage {waypoint:waypoint} ne peut être atteint ou quitté sans sortir de la clôture virtuelle',
  battery_not_enough:
    'il faut {required:number} % de batterie pour {distance:number} m et {back:number} m de retour, et {reserve:number} % de réserve ; il y a {available:number} %',
  mission_at_that_time: 'une autre mission est en cours ou prévue à cette heure',
  missions_ahead: 'l’appareil a déjà {count:number} <count:mission|missions> devant lui',
  start_in_the_past: 'le départ prévu est dans le passé',
  start_too_far_ahead: 'le départ prévu est dans plus d’un an',
  reading_is_old: 'la dernière valeur date de {age:number} s : {sensor:sensor}',
  reading_missing: 'l’appareil n’a pas signalé cette valeur : {sensor:sensor}',
  mission_not_in_state:
    'la mission est {status:missionStatus}, elle ne peut donc pas être {change:missionChange}',
  mission_being_cancelled:
    'la mission est en cours d’annulation, elle ne peut donc pas être {change:missionChange}',
  operation_has_ended: 'l’opération est déjà finie : {status:jobStatus}',
  operation_stop_first:
    'état de l’opération : {status:jobStatus} ; arrêtez-la d’abord ; sa fin pourra être déclarée si l’appareil ne confirme pas l’arrêt',
  operation_may_begin:
    'l’appareil peut encore commencer l’opération jusqu’à {until:time} ; sa fin pourra être déclarée ensuite',
  operation_may_stop:
    'l’appareil a reçu l’ordre d’arrêt et peut encore le confirmer ; la fin pourra être déclarée à partir de {from:time}',
  mission_has_ended: 'la mission est déjà finie : {status:jobStatus}',
  mission_has_not_begun: 'la mission n’a pas commencé : annulez-la plutôt',
  mission_may_begin:
    'l’appareil peut encore commencer la mission jusqu’à {until:time} ; sa fin pourra être déclarée ensuite',
  mission_cancel_first:
    'l’appareil est connecté : annulez d’abord la mission ; sa fin pourra être déclarée si l’appareil ne confirme pas',
  mission_may_end:
    'l’appareil a reçu l’ordre de terminer la mission et peut encore le confirmer ; la fin pourra être déclarée à partir de {from:time}',
  command_has_ended: 'l’ordre est déjà fini : {status:jobStatus}',
  command_not_sent_yet: 'l’ordre n’a pas été envoyé, et il expire de lui-même',
  command_may_begin:
    'l’appareil peut encore commencer l’ordre jusqu’à {until:time} ; sa fin pourra être déclarée ensuite',
  command_is_asked_for:
    'l’appareil est connecté et est interrogé sur cet ordre ; envoyez-lui un autre ordre, ou un arrêt d’urgence',
  emergency_stop_may_be_confirmed:
    'l’appareil peut encore confirmer l’arrêt d’urgence ; la fin pourra être déclarée à partir de {from:time}',
  commands_to_answer: 'l’appareil doit d’abord répondre à {count:number} <count:ordre|ordres>',
  device_is_busy:
    'quelque chose est en cours sur l’appareil, ou l’attend : {jobs:list}[ et {more:number?} <more:autre|autres>] ; mettez-y fin d’abord',
  low_level_not_below_high:
    'le niveau bas ({low:number} %) doit être inférieur au niveau haut ({high:number} %)',
  critical_level_between:
    'le niveau critique ({critical:number} %) doit être inférieur au niveau bas ({low:number} %) ou supérieur au niveau haut ({high:number} %)',
  critical_battery_not_below_low:
    'la batterie critique ({critical:number} %) doit être inférieure à la batterie faible ({low:number} %)',
  configuration_changed: 'la configuration est à la version {current:number}, pas {given:number}',
  device_changed: 'l’appareil est à la version {current:number}, pas {given:number}',
  message_waits_already: 'ce que vous avez demandé en dernier attend encore d’être envoyé',
  messages_in_an_hour: 'vous en avez demandé {limit:number} en une heure, ce qui est la limite',

  // Faults of fields
  must_be: 'doit être {what:alternatives}',
  must_be_like: 'doit être {what:part}, par exemple {example:text}',
  must_be_at_least: 'doit être au moins {limit:number}',
  must_be_above: 'doit être supérieur à {limit:number}',
  must_be_at_most: 'doit être au plus {limit:number}',
  must_be_below: 'doit être inférieur à {limit:number}',
  must_not_be_empty: 'ne doit pas être vide',
  must_have_more_characters: 'doit avoir au moins {limit:number} <limit:caractère|caractères>',
  must_have_fewer_characters: 'doit avoir au plus {limit:number} <limit:caractère|caractères>',
  must_have_an_item: 'doit avoir au moins 1 élément',
  must_have_more_items: 'doit avoir au moins {limit:number} <limit:élément|éléments>',
  must_have_fewer_items: 'doit avoir au plus {limit:number} <limit:élément|éléments>, pas {count:number}',
  must_not_repeat: 'ne doit rien nommer deux fois',
  must_have_a_field: 'doit avoir au moins un champ',
  must_have_one_of: 'doit avoir au moins un de : {fields:text}',
  must_have_just_one_of: 'doit avoir un seul de : {fields:text}',
  must_have_fewer_fields: 'doit avoir au plus {limit:number} <limit:champ|champs>, pas {count:number}',
  is_required: 'est obligatoire',
  is_not_known: 'n’est pas un champ connu',
  is_not_valid: 'n’est pas valable',
  has_lost_its_plus: 'a une espace où commence le décalage : dans une adresse, un + doit s’écrire %2B',
  is_no_time: 'n’est pas une heure',
  is_out_of_range: 'est hors de toute plage',
  must_be_before_to: 'doit être avant la fin',
  must_be_one_of_zones:
    'doit être l’un de {zones:text} : les silos de ce lieu sont dans plusieurs fuseaux horaires',
  must_be_to_come: 'doit être à venir',
  has_passed: 'est passé',
  is_taken: 'est déjà pris',
  must_be_plain_number: 'doit être un nombre sans séparateur de milliers, comme 20000 ou 20000,5',
  is_no_column: 'n’est pas une colonne connue ; il y a {columns:text}',
  is_that_of_row: 'est déjà à la ligne {row:number}',
  is_beyond_the_key: 'est là où cette clé ne peut enregistrer aucun appareil',
  has_open_quote: 'a un guillemet qui ne se ferme pas',
  has_text_after_quote: 'a du texte après le guillemet qui termine une cellule',
  has_too_many_cells: 'a trop de cellules',
  has_more_cells: 'a plus de cellules que la première ligne',
  is_too_easy: 'est trop facile à deviner',
  is_listed_twice: 'figure deux fois',
  is_declared_twice: 'est déclaré deux fois',
  is_that_of_another_sensor: 'est celui d’un autre capteur',
  is_a_standard_name: 'est le nom d’un capteur ou champ standard',
  is_no_declared_sensor: 'n’est pas un capteur déclaré de cet appareil',
  is_no_value_of_reading: 'ne désigne aucune valeur de cette mesure',
  is_less_than_a_gram: 'est inférieur à un gramme',
  must_be_at_most_amount: 'doit être au plus {limit:quantity}',
  must_be_greater_than_min: 'doit être supérieur au minimum',
  must_be_between: 'doit être entre {min:number} et {max:number} {unit:text}',
  must_be_below_high_level: 'doit être inférieur au niveau haut ({limit:number})',
  must_be_outside_levels: 'doit être hors de l’intervalle du niveau bas au niveau haut',
  must_be_below_low_battery: 'doit être inférieur à la batterie faible ({limit:number})',
  must_have_one_side: 'doit avoir soit un seuil haut, soit un seuil bas',
  must_differ_from_rule: 'doit différer de la règle {rule:number} par le capteur, le sens ou la gravité',
  must_be_a_sensor: 'doit être un capteur de l’appareil : {sensors:text}',
  must_not_be_from: 'ne doit pas être la même heure que le début',
  must_be_above_step: 'doit être supérieur à {limit:number}, valeur de l’étape précédente',
  must_not_have_two_at_once: 'ne doit pas avoir deux livraisons en même temps',
  must_be_after_start: 'doit être après le début ({started:date})',
  a_text: 'un texte',
  a_number: 'un nombre',
  a_whole_number: 'un nombre entier',
  true_or_false: 'vrai ou faux',
  an_object: 'un objet',
  an_array: 'une liste',
  null_value: 'vide (null)',
  this_value: '« {value:text} »',
  one_of: 'l’un de : {options:text}',
  a_match: 'un texte selon le modèle {pattern:text}',
  time_with_offset: 'une heure avec son décalage, par exemple {example:text}',
  whole_number_between: 'un nombre entier de {min:number} à {max:number}',
  text_of_one_line: 'un texte sans caractères de contrôle',
  text_of_lines: 'un texte sans caractères de contrôle autres que tabulations et sauts de ligne',
  printable_characters: '1 à {limit:number} caractères imprimables sans espaces',
  identifier: '1 à 64 lettres, chiffres, - ou _',
  sensor_identifier: '1 à 64 lettres, chiffres, - ou _, le premier une lettre ou un chiffre',
  sensor_type: '1 à 64 lettres minuscules, chiffres ou _, le premier une lettre',
  event_number: 'le numéro d’un événement',
  base_64_url: '1 à {limit:number} caractères de base64url',
  base_32: '{limit:number} caractères de A à Z et de 2 à 7',
  label_name:
    'le nom d’une étiquette : 1 à 40 lettres minuscules, chiffres, points, - ou _, d’abord une lettre',
  label_value:
    'la valeur d’une étiquette : 1 à {limit:number} caractères sans virgule, et sans espace aux extrémités',
  label_selector: 'une étiquette comme product=wheat, ou le nom d’une étiquette',
  login_name:
    '1 à 63 caractères de a à z, 0 à 9, point, tiret et tiret bas, le premier une lettre ou un chiffre',
  name_that_is_seen: 'un nom sans caractères de contrôle ni caractères invisibles',
  name_of_person: 'un nom sans caractères invisibles, le premier n’étant pas une espace',
  pin_digits: '4 à 8 chiffres',
  address_of_view: 'une adresse de cette page qui commence par #/',
  threshold_rule: 'une règle de seuil telle que temp_3 above warning',
  time_zone_name: 'un fuseau horaire tel que Europe/Berlin',
  local_day: 'un jour du calendrier, tel que 2026-03-29',
  time_of_day: 'une heure de 00:00 à 23:59',
  days_ahead: 'un nombre de jours de 1d à 30d',
  email_address: 'une adresse e-mail telle que ada@example.com',
  push_service_address: 'l’adresse d’un service push que ce service connaît',
  web_address: 'une adresse qui commence par http:// ou https://, sans espaces',
  compartments_of_truck:
    '1 à {count:number} quantités en kg, chacune supérieure à 0 et au plus {limit:number}, séparées par des virgules',

  // The device link
  login_without_id:
    'l’identifiant de client et le nom d’utilisateur doivent être l’identifiant de l’appareil, avec son secret comme mot de passe',
  will_on_other_topic: 'un dernier message (will) doit être sur le propre sujet d’état de l’appareil',
  storage_silent_at_login: 'le stockage n’a pas répondu si le secret est juste',
  wrong_login: 'appareil inconnu ou mauvais secret',
  other_mqtt_version: 'seul MQTT 3.1.1 est pris en charge, pas {protocol:text}',
  message_not_taken: 'un message n’a pas pu être pris en compte',
  connection_not_ended: 'la connexion de l’appareil n’a pas pu être fermée : {error:text}',
  topic_of_others: 'l’appareil ne doit pas publier sur ce sujet',
  does_not_read: 'l’appareil ne lit pas ce qui lui est envoyé',
  left_unacknowledged: 'l’appareil n’a pas confirmé {count:number} <count:message|messages>',
  left_unreleased: 'l’appareil n’a pas libéré {count:number} <count:message|messages> de QoS 2',
  packet_not_for_server: 'un paquet de type {type:number} n’est pas pour un serveur',
  packet_too_large: 'un paquet dépasse {limit:number} octets',
  no_connect_first: 'la connexion ne commence pas par CONNECT',
  packet_malformed: 'le paquet est mal formé : {what:text}',

  // Parts of other sentences
  operation_in_state: '{operation:Part} ({status:jobStatus})',
  command_in_state: 'l’ordre « {command:command} » ({status:jobStatus})',
  mission_in_state: '{mission:mission} ({status:missionStatus})',
  feed: 'remplissage de {amount:quantity}[ dans {target:text?}]',
  discharge: 'vidange de {amount:quantity}[ dans {target:text?}]',
  feed_at_device: 'remplissage lancé sur l’appareil',
  discharge_at_device: 'vidange lancée sur l’appareil',
  operation_at_device: 'opération lancée sur l’appareil',
  sensor_silent: '{sensor:sensor} depuis {since:time}',
  sensor_implausible:
    '{sensor:sensor} indique {value:quantity}, ce qui ne peut pas être vrai : hors de {min:quantity} à {max:quantity}',
  sensor_invalid: '{sensor:sensor} indique {value:quantity}, que l’appareil dit non valable',
  clock_ahead: 'son horloge avance de {offset:duration}',
  clock_behind: 'son horloge retarde de {offset:duration}',
  times_in_other_unit: 'ses heures sont en {unit:timeUnit}, pas en millisecondes',
  value_not_a_number: '{sensor:sensor} est {found:found}, pas un nombre',
  sensor_not_declared: 'le capteur {sensor:sensor} n’est pas déclaré',
  other_cause: '{text:text}',
  device_said: '{words:text}',
  device_gave_no_reason: 'l’appareil n’a pas donné de raison',
  ran_too_long: 'elle a duré plus longtemps que sa limite',
  weight_does_not_move: 'le poids ne change pas',
  start_not_sent: 'le démarrage n’a pas été envoyé, rien n’a été déplacé : {why:notSent}',
  declared_ended: 'fin déclarée par {person:text}[ ({reason:text?})] ; l’appareil ne l’a pas signalée',
  never_known:
    'l’appareil ne connaît pas cette opération, et rien ne dit si elle a commencé[ ; {scale:part?}]',
  no_longer_known:
    'l’appareil ne connaît plus cette opération, et la quantité déplacée n’a pas été signalée[ ; {scale:part?}]',
  scale_shows: 'la balance indique {moved:quantity} déplacés',
  scale_showed: 'pendant l’opération, la balance indiquait {moved:quantity} déplacés',
  scale_disturbed: 'la balance ne peut le dire, car une autre opération a aussi déplacé du produit',
  scale_without_start: 'la balance ne peut le dire, car le poids d’avant n’est pas connu',
  scale_silent: 'la balance n’a rien signalé depuis le démarrage',
  moved_again: 'du produit avait encore bougé à {again:time}, après une première fin',
  moved_again_after_declared:
    'du produit avait encore bougé à {again:time}, après que {person:text} avait déclaré la fin à {declared:time}',
  declared_before: 'avant cela, {person:text} avait déclaré la fin à {declared:time}',
  amount_not_reported: 'la quantité déplacée n’a pas été signalée',
  amount_last_reported:
    'le dernier message indiquait {moved:quantity}, et la quantité totale n’a pas été signalée',
  stop_refused: 'il a refusé l’arrêt[ ({reason:text?})]',
  stop_failed: 'il n’a pas pu s’arrêter[ ({reason:text?})]',
  stop_cancelled: 'il a annulé l’arrêt[ ({reason:text?})]',
  stop_not_known: 'il ne connaît pas l’arrêt[ ({reason:text?})]',
  expired_unsent: 'il a expiré avant de pouvoir être envoyé',
  nothing_sent: 'l’appareil n’est pas connecté, rien n’a été envoyé',
  stop_came_first: 'un arrêt d’urgence est venu avant',
  outcome_forgotten: 'l’appareil ne le connaît plus ; son résultat n’est pas connu',
  did_not_arrive: 'l’appareil ne le connaît pas : il n’est pas arrivé à temps, ou sa mémoire a été perdue',
  did_not_connect: 'l’appareil ne s’est pas connecté à temps',
  superseded: 'l’appareil l’a abandonné pour un autre',
  no_word_of_it: 'l’appareil ne dit pas ce qu’il en est advenu',
  was_cancelled: 'elle a été annulée',
  could_not_begin: 'elle n’a pas pu commencer à temps',
  upload_unanswered:
    'l’appareil n’a pas répondu à temps au transfert, il n’a donc jamais reçu l’ordre de départ',
  start_ignored: 'l’appareil a reçu l’ordre de départ et signale qu’il n’a pas commencé',
  mission_not_sent: 'l’appareil n’était pas connecté au moment de l’ordre de départ, rien n’a été envoyé',
  stop_ended_it: 'un arrêt d’urgence y a mis fin',
  stop_was_in_force: 'un arrêt d’urgence était en vigueur, elle n’a donc pas commencé',
  mission_forgotten:
    'l’appareil ne connaît plus la mission, son résultat n’est pas connu ; elle n’est pas relancée',
  not_heard_again: 'l’appareil n’a plus donné de nouvelles, le résultat n’est pas connu',
  ended_early: 'l’appareil l’a terminée trop tôt et n’a pas donné de raison',
};

type Words = { readonly [Kind in keyof typeof WORDS]: Readonly<Record<keyof (typeof WORDS)[Kind], string>> };

export const SENTENCE_WORDS: Words = {
  job: { operation: 'une opération', mission: 'une mission', emergency_stop: 'un arrêt d’urgence' },
  failsafe: { continue: 'continuer', hold: 's’arrêter sur place', return_to_base: 'revenir à sa base' },
  found: { text: 'un texte', boolean: 'vrai ou faux', null: 'vide', object: 'un objet', list: 'une liste' },
  timeUnit: { seconds: 'secondes', microseconds: 'microsecondes', nanoseconds: 'nanosecondes' },
  notSent: {
    not_connected: 'l’appareil n’est pas connecté',
    not_subscribed: 'l’appareil est connecté, mais n’écoute pas les ordres',
    expired: 'il n’a pas pu être envoyé à temps',
    in_flight: 'un autre message à l’appareil était en cours',
  },
  missionChange: { pause: 'mise en pause', resume: 'reprise' },
  command: {
    move_to_coordinates: 'aller à un endroit',
    hold: 's’arrêter sur place',
    resume: 'reprendre',
    return_to_base: 'revenir à la base',
    scan: 'scanner',
    collect_sample: 'prélever un échantillon',
    emergency_stop: 'arrêt d’urgence',
    release_emergency_stop: 'levée de l’arrêt d’urgence',
  },
  jobStatus: {
    started: 'lancement',
    in_progress: 'en cours',
    unconfirmed: 'sans confirmation',
    stopping: 'arrêt en cours',
    stopped: 'arrêt',
    completed: 'fin normale',
    failed: 'échec',
    queued: 'en attente',
    sent: 'envoi fait',
    executing: 'exécution en cours',
    succeeded: 'réussite',
    rejected: 'refus',
    cancelled: 'annulation',
    expired: 'délai dépassé',
    timed_out: 'sans réponse',
    scheduled: 'à venir',
    dispatched: 'transmission à l’appareil',
    paused: 'en pause',
    aborted: 'abandon',
    missed: 'départ manqué',
  },
  missionRequest: { pause: 'la pause', resume: 'la reprise', cancel: 'la fin' },
  missionStatus: {
    scheduled: 'prévue pour plus tard',
    dispatched: 'envoyée à l’appareil, mais pas commencée',
    in_progress: 'en cours',
    paused: 'en pause',
    completed: 'terminée',
    aborted: 'abandonnée',
    failed: 'en échec',
    missed: 'manquée',
    cancelled: 'annulée',
  },
  animals: {
    broiler: 'poulets de chair',
    layer: 'poules pondeuses',
    pig: 'porcs',
    dairy: 'vaches laitières',
    other: 'autres',
  },
  animalsField: {
    heads: 'leur nombre',
    started_on: 'le jour depuis lequel ils sont là',
    ends_on: 'le jour où ils partent',
  },
  comparison: { more: 'de plus', less: 'de moins' },
  weekday: {
    0: 'lundi',
    1: 'mardi',
    2: 'mercredi',
    3: 'jeudi',
    4: 'vendredi',
    5: 'samedi',
    6: 'dimanche',
  },
};
