import type { SentenceCode } from '@granary/contract/sentences/english';
import type { WORDS } from '@granary/contract/sentences/words';

/** The template of every code; what the templates can contain is said in `contract/src/sentences/sentence.ts`. */
export const SENTENCES: Readonly<Record<SentenceCode, string>> = {
  // Alerts
  level_below: 'Nivel al {level:percent}, en el límite de {limit:number} % o por debajo',
  level_above: 'Nivel al {level:percent}, en el límite de {limit:number} % o por encima',
  battery_below: 'Batería al {level:percent}, en el límite de {limit:number} % o por debajo',
  sensor_above: '{sensor:Sensor}: {value:quantity}, en el límite de {limit:quantity} o por encima',
  sensor_below: '{sensor:Sensor}: {value:quantity}, en el límite de {limit:quantity} o por debajo',
  sensor_above_named:
    '{name:text}: {sensor:sensor} a {value:quantity}, en el límite de {limit:quantity} o por encima',
  sensor_below_named:
    '{name:text}: {sensor:sensor} a {value:quantity}, en el límite de {limit:quantity} o por debajo',
  sensors_silent: 'El equipo está conectado, pero faltan mediciones: {sensors:list}[, {more:number?} más]',
  sensors_implausible: '{sensors:Clauses}[; {more:number?} más]',
  went_offline: 'El equipo no está conectado',
  went_offline_during: 'El equipo no está conectado durante {job:job}',
  readings_refused:
    'Se rechazan sus mediciones: {cause:part} ({messages:number} <messages:mensaje|mensajes seguidos> desde {since:time})',
  readings_partly_refused:
    'Se rechaza una parte de sus mediciones: {cause:part} ({messages:number} <messages:mensaje|mensajes seguidos> desde {since:time})',
  clock_ahead_or_late:
    'Su reloj adelanta {offset:duration}, o envía sus mediciones con {offset:duration} de retraso: cuentan como antiguas, así que no se vigila ningún nivel ni límite',
  clock_behind_or_late:
    'Su reloj atrasa {offset:duration}, o envía sus mediciones con {offset:duration} de retraso: cuentan como antiguas, así que no se vigila ningún nivel ni límite',
  two_clients:
    'Dos programas se conectan como este equipo y se reemplazan: {takeovers:number} veces en un minuto, desde {addresses:names}',
  two_clients_same_address:
    'Dos programas se conectan como este equipo y se reemplazan: {takeovers:number} veces en un minuto, todas desde {address:text}',
  two_clients_or_bad_link:
    'Dos programas se conectan como este equipo, o su conexión se pierde una y otra vez: {takeovers:number} conexiones nuevas en un minuto; solo el broker conoce sus direcciones',
  maintenance_overdue: 'El mantenimiento estaba previsto para {due:time}',
  operation_stalled: '{operation:Part}: sin movimiento[ en {moved:quantity?}]: {why:part}',
  operation_overran: '{operation:Part}: no terminó a tiempo[, en {moved:quantity?}]: {why:part}',
  operation_refused: '{operation:Part}: rechazo del equipo, no se movió nada: {why:part}',
  operation_outcome_unknown: '{operation:Part}: final sin resultado conocido: {why:part}',
  operation_declared_ended: '{operation:Part}: {why:part}',
  operation_broke_off: '{operation:Part}: fallo[ en {moved:quantity?}]: {why:part}',
  operation_stop_unconfirmed:
    '{operation:Part}: el equipo no ha confirmado la parada y quizá siga moviendo material; la parada se repite hasta que la confirme',
  operation_unasked: 'Se inició una operación en el equipo, no por este servicio',
  feed_unasked: 'Se inició un llenado en el equipo, no por este servicio',
  discharge_unasked: 'Se inició una descarga en el equipo, no por este servicio',
  operation_imbalance:
    '{operation:Part}: el equipo comunicó {reported:quantity}, la báscula muestra {measured:quantity}, una diferencia del {difference:number} %',
  outside_fence: 'El equipo está fuera de su geocerca en {place:place}; debe {action:failsafe}',
  mission_ended_badly: '{mission:mission}: {status:missionStatus}[: {why:part?}]',
  mission_start_unanswered:
    '{mission:mission}: el equipo recibió la orden de salida y no dice si ha empezado',
  mission_pause_unconfirmed:
    '{mission:mission}: el equipo no ha confirmado la pausa y quizá siga en marcha; la orden se repite hasta que la confirme',
  mission_end_unconfirmed:
    '{mission:mission}: el equipo no ha confirmado el final y quizá siga en marcha; la orden se repite hasta que lo confirme',
  stop_unconfirmed:
    'El equipo no ha confirmado la parada de emergencia y quizá siga moviéndose; la parada se repite hasta que la confirme[; su última respuesta: {answer:part?}]',
  may_run_empty: 'Puede quedar vacío en {left:duration}, y no hay ninguna entrega prevista antes',
  nothing_usable_left: 'No queda nada utilizable',

  // Operations
  start_given_out:
    'El arranque se dio a las {started:time}; se espera la confirmación del equipo hasta {until:time}.',
  operation_acknowledged:
    'El equipo confirmó el arranque y aún no ha comunicado avance; se espera el final hasta {until:time}, y entonces se para.',
  operation_moving:
    'El equipo ha comunicado {moved:quantity} de {target:quantity}; se espera el final hasta {until:time}, y entonces se para.',
  operation_moving_unasked:
    'El equipo ha comunicado {moved:quantity}; se inició en el equipo, no por este servicio.',
  start_unacknowledged:
    'El equipo no ha confirmado el arranque y puede empezar hasta {until:time}; se le pregunta hasta que responda, y si después no conoce la operación, ha terminado.',
  operation_unheard:
    'No se sabe nada desde {heard:time}, quizá siga en marcha[, como mucho hasta {limit:time?} por su propio límite]; se preguntará al equipo en cuanto esté conectado.',
  stop_requested:
    'Se pidió una parada a las {requested:time}; se repite hasta que el equipo la confirme[, o diga después de {decided:time?} que no conoce la operación].',
  stopping_because:
    'Parada en curso: {why:part}; la parada se repite hasta que el equipo la confirme[, o diga después de {decided:time?} que no conoce la operación].',
  stopping_moved_again:
    'Volvió a moverse material a las {again:time}, después del final; la parada se repite hasta que el equipo la confirme[, o diga después de {decided:time?} que no conoce la operación].',
  stopping_moved_after_declared:
    'Volvió a moverse material a las {again:time}, después de que {person:text} declarara el final a las {declared:time}; la parada se repite hasta que el equipo la confirme[, o diga después de {decided:time?} que no conoce la operación].',
  operation_completed:
    'El equipo comunicó el final de la operación, con {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_stopped: 'El equipo confirmó la parada, con {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_not_running:
    'El equipo no conoce la operación, así que no está en marcha; {reported:part}; {scale:part}.',
  operation_start_refused: 'El equipo rechazó el arranque, no se movió nada: {why:part}.',
  operation_not_sent: '{why:Part}.',
  operation_failed_unknown: 'Fallo: {why:part}.',
  operation_failed_unreported: 'Fallo: {why:part}; {reported:part}; {scale:part}.',
  operation_failed:
    'Fallo: {why:part}; el equipo comunicó {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_end_declared: '{why:Part}; {reported:part}[; {scale:part?}].',
  stop_sent_not_stored:
    'La parada se envió al equipo; aún no se ha podido guardar, y se repite hasta que se guarde.',
  stop_waits_not_stored:
    'El equipo no está conectado, la parada se enviará en cuanto lo esté; aún no se ha podido guardar, y se repite hasta que se guarde.',

  // Steps of a trace
  feed_requested: 'Llenado de {amount:quantity}[ en {target:text?}] a {rate:quantity}.',
  discharge_requested: 'Descarga de {amount:quantity}[ en {target:text?}] a {rate:quantity}.',
  start_checked:
    'Aceptado[ con {inside:quantity?} dentro]: el equipo puede mover como máximo {most:quantity} en {seconds:number} s.',
  start_sent: 'El arranque se envió, válido hasta {until:time}.',
  start_was_not_sent: '{why:Part}.',
  begun_at_device: 'El equipo comunicó una operación que empezó él mismo.',
  device_confirmed: 'El equipo confirmó que tiene la operación.',
  last_report: 'Último aviso del equipo: {moved:quantity} movidos.',
  last_report_unknown: 'El equipo comunicó que no conoce la operación.',
  report_requested: 'El servicio pidió un informe al equipo.',
  stop_was_requested: 'Se pidió una parada.',
  service_stops: 'El servicio la para: {why:part}.',
  service_stops_moved_again: 'El servicio la para: se movió material después del final.',
  stop_last_sent: 'La parada se envió por última vez al equipo.',
  weight_last_changed: 'La báscula vio cambiar el peso por última vez.',
  scale_measured: 'La báscula muestra {moved:quantity} movidos.',
  end_declared: '{person:text} fue a mirar y declaró el final[: {reason:text?}].',

  job_on_offline_device: 'El equipo no está conectado, y hay una tarea en curso en él.',

  // Commands
  command_queued: 'Espera a que el equipo se conecte[, hasta {until:time?}].',
  command_sent: 'Enviada; el equipo aún no ha respondido y se le pregunta hasta {until:time}.',
  command_executing: 'El equipo la ejecuta; se espera su próximo aviso hasta {until:time}.',
  command_succeeded: 'El equipo comunicó que la ha ejecutado.',
  command_timed_out:
    'No se conoce el resultado: el equipo no ha respondido y se le pregunta hasta {until:time}.',
  command_failed: 'Fallo[: {why:part?}].',
  command_rejected: 'Rechazada por el equipo[: {why:part?}].',
  command_cancelled: 'Anulada[: {why:part?}].',
  command_expired: 'No ejecutada[: {why:part?}].',
  command_end_declared: '{why:Part}.',
  emergency_stop_waits:
    'El equipo no está conectado; la parada de emergencia se enviará en cuanto lo esté, y hasta entonces nadie sabe si está quieto.',
  emergency_stop_repeated:
    'Se repite cada segundo hasta que el equipo confirme que está quieto[; su última respuesta: {answer:part?}].',
  emergency_stop_confirmed:
    'El equipo confirmó que está quieto; no acepta ningún movimiento hasta que alguien libere la parada de emergencia.',
  emergency_stop_released:
    'El equipo confirmó que está quieto; esta parada de emergencia ya no está en vigor.',
  emergency_stop_ended: 'Terminó sin confirmación[: {why:part?}].',
  emergency_stop_declared:
    '{why:Part}; la parada de emergencia ya no se repite y sigue en vigor hasta que alguien la libere.',
  emergency_stop_declared_released: '{why:Part}; esta parada de emergencia ya no está en vigor.',

  // Missions
  mission_scheduled:
    'Empieza a las {start:time} si el equipo está conectado y libre; si no ha empezado antes de {until:time}, se pierde.',
  mission_may_have_begun: 'El equipo quizá la haya empezado y aún debe confirmar {request:missionRequest}.',
  mission_told_to_start:
    'El equipo recibió la orden de salida a las {told:time} y no ha comunicado que ha empezado; se le pregunta cada pocos segundos[; sin aviso, cuenta como perdida a las {lost:time?}].',
  mission_sent: 'Enviada al equipo, cuya respuesta se espera hasta {until:time}.',
  mission_accepted:
    'El equipo la tiene; recibirá la orden de salida a las {start:time}, o en cuanto esté conectado y libre, hasta {until:time}.',
  mission_under_way:
    'En curso, {reached:number} de {waypoints:number} <waypoints:punto de paso alcanzado|puntos de paso alcanzados>[; el equipo aún debe confirmar {request:missionRequest?}][, hasta {until:time?}].',
  mission_paused:
    'En pausa, {reached:number} de {waypoints:number} <waypoints:punto de paso alcanzado|puntos de paso alcanzados>[; el equipo aún debe confirmar {request:missionRequest?}][, hasta {until:time?}].',
  mission_under_way_silent:
    'En curso según lo último que se supo, {reached:number} de {waypoints:number} <waypoints:punto de paso alcanzado|puntos de paso alcanzados>; sin noticias desde {since:time}, y en ese caso el equipo debe {action:failsafe}[; sin aviso, cuenta como perdida a las {lost:time?}].',
  mission_paused_silent:
    'En pausa según lo último que se supo, {reached:number} de {waypoints:number} <waypoints:punto de paso alcanzado|puntos de paso alcanzados>; sin noticias desde {since:time}, y en ese caso el equipo debe {action:failsafe}[; sin aviso, cuenta como perdida a las {lost:time?}].',
  mission_completed: 'El equipo comunicó que está terminada.',
  mission_aborted: 'Interrumpida[: {why:part?}].',
  mission_failed: 'Fallo[: {why:part?}].',
  mission_missed: 'Perdida[: {why:part?}].',
  mission_cancelled: 'Anulada[: {why:part?}].',

  // Forecasts
  uses: 'Gasta {kg_per_day:mass} al día[, {change_percent:change?} que la semana anterior].',
  animals_curve:
    'El consumo es el de animales ({kind:animals}) en el día {age_days:number}, al {percent_of_curve:number} % de su curva.',
  animals_end: 'Los animales se van el {day:date}.',
  animals_do_not_match:
    'El consumo es el {percent_of_curve:number} % de la curva de los animales, así que la curva no se usa.',
  animals_not_plausible: 'Los animales indicados no pueden ser correctos: revise {what:animalsField}.',
  weekdays: 'Poco consumo el {quiet:weekdays}.',
  refills: 'Reposiciones en <days:el último día|los últimos {days:number} días>: {count:number}.',
  learning:
    'De {needed:number} días completos que necesita una previsión, se <days:conoce|conocen> {days:number}.',
  stale: 'No se conoce el peso actual[: el último es de hace {hours:number?} h, de {last:time?}].',
  weight_unchanged: 'El peso no cambia desde {since:time}, aunque debería bajar.',
  idle: 'Sin consumo desde hace {days:number} <days:día|días>.',
  lasts_longer: 'Alcanza para más de {days:number} <days:día|días>.',
  wide_range:
    'El consumo varía tanto que la fecha más tardía está {ratio:number} veces más lejos que la más próxima.',
  capacity_not_plausible: 'La capacidad de {capacity_kg:mass} no concuerda con el peso de {level_kg:mass}.',
  order_overdue: 'Había que pedir hace {hours:number} h.',

  // Grain
  no_grain: 'La configuración no indica ningún grano, y ningún sensor tiene un lugar en un cable.',
  air_cools: 'El aire está a {outside_c:temperature}, el grano a {grain_c:temperature}.',
  air_dries: 'El aire seca el grano hacia el {equilibrium_percent:number} %.',
  rain: 'Llueve.',
  too_humid: 'El aire es demasiado húmedo.',
  too_cold: 'El aire es demasiado frío.',
  not_cool_enough: 'El aire no es bastante fresco.',
  would_add_moisture: 'El aire añadiría humedad.',
  would_over_dry: 'El aire secaría demasiado el grano.',
  grain_is_cool_and_dry: 'El grano está fresco y seco.',

  // Findings
  operation_moves_nothing:
    'La operación ha movido {moved_kg:mass} en {minutes:number} <minutes:minuto|minutos>; se esperaban {expected_kg:mass}',
  use_has_stopped:
    'Solo se gastaron {used_kg:mass} en {hours:number} <hours:hora|horas>; se esperaban al menos {expected_at_least_kg:mass}',
  material_has_fallen: 'El material que formaba una bóveda ha caído de golpe: {fallen_kg:mass}',
  steady_loss:
    'Pierde {loss_kg_per_day:mass} al día sin explicación, durante {nights:number} <nights:noche|noches>',
  step_down: 'Desaparecieron {loss_kg:mass} de golpe, sin operación',
  stuck:
    'El peso sigue en {level_kg:mass} desde hace {unchanged_h:number} <unchanged_h:hora|horas>, cuando deberían haberse gastado {expected_use_kg:mass}',
  drift:
    'La báscula deriva {drift_kg_per_day:mass} al día sin explicación, durante {nights:number} <nights:noche|noches>',
  less_than_noted: 'La báscula muestra {measured_kg:mass} de los {noted_kg:mass} del albarán',
  more_than_noted: 'La báscula muestra {measured_kg:mass}, más que los {noted_kg:mass} del albarán',
  scale_differs_always:
    'La báscula muestra {measured_kg:mass} de los {noted_kg:mass} del albarán, como en entregas anteriores: la báscula mide mal',
  point_gets_warmer:
    'Un punto del cable se calienta[: está a {temperature_c:temperature?}][, {warmer_by_c:warming?} más que su entorno][, y gana {slope_c_per_day:warming?} al día]',
  storage_life_used:
    'Se ha gastado el {used_percent:number} % del tiempo seguro de conservación[; <remaining_days:queda|quedan> {remaining_days:number?} <remaining_days:día|días> a la temperatura actual]',
  flows: 'El material fluye',
  no_loss: 'Sin pérdida',
  steady: 'La báscula es estable',
  as_noted: 'Como en el albarán',
  no_hot_spot_seen: 'No se ve ningún punto caliente',
  keeps: 'Se ha gastado el {used_percent:number} % del tiempo seguro de conservación',
  withdrawals_not_known:
    'No toda retirada es una operación del servicio, así que una pérdida o una deriva no se distingue del consumo',
  too_few_nights: 'De {nights_needed:number} noches necesarias, se <nights:conoce|conocen> {nights:number}',
  too_few_days: 'Se conocen muy pocos días',
  no_use_expected: 'No se espera consumo a esta hora',
  use_too_small: 'El consumo es demasiado pequeño para verse',
  no_weights: 'Sin pesos actuales',
  nearly_empty: 'El silo está casi vacío',
  other_movement: 'Se movió otra cosa en este tiempo',
  runs_too_short: 'La operación no lleva bastante tiempo',
  scale_too_uneven: 'La báscula es demasiado irregular',
  settling: 'Grano cargado, movido o ventilado hace poco: las temperaturas aún no dicen nada',
  no_data: 'Muy pocas temperaturas',

  // Refusals
  administrators_need_factor:
    'quien administra necesita un segundo factor o una llave de acceso; configúrelo en su propia página',
  confirmation_by_oneself: 'hay que confirmarlo con su PIN o su contraseña',
  confirmation_by_another: 'otra persona que trabaja aquí debe confirmarlo',
  confirmation_has_ended: 'la confirmación ya se usó o ha caducado; confírmelo de nuevo',
  device_is_offline: 'el equipo no está conectado',
  device_is_silent: 'el equipo está conectado, pero lleva demasiado tiempo sin enviar nada',
  device_not_listening:
    'el equipo envía mediciones, pero no está conectado para órdenes (necesita MQTT), así que no se le puede enviar nada',
  device_is_maintained: 'el equipo está en mantenimiento',
  weight_never_reported: 'el equipo nunca ha comunicado su peso',
  weight_is_old: 'el último peso es de hace {age:number} s',
  weight_not_true: 'el último peso no puede ser cierto, así que nadie sabe cuánto hay dentro',
  weight_before_last_end: 'el último peso se midió antes del final de la operación anterior',
  rate_too_high: 'el caudal debe ser como máximo {limit:quantity}',
  rate_too_low: 'con ese caudal tardaría más de {days:number} <days:día|días>',
  amount_too_small: 'la cantidad es menor de un gramo',
  no_room:
    'solo hay sitio para {available:quantity}[: se movieron hasta {moved:quantity?} después de medir el último peso]',
  no_stock:
    'solo hay {available:quantity} dentro[: se movieron hasta {moved:quantity?} después de medir el último peso]',
  operation_under_way: '{operation:Part} en curso en este equipo; espere el final o pare la operación',
  unreadable_operation_under_way:
    'una operación cuyo registro no se puede leer ocupa este equipo; párela en el equipo, o por su identificador {id:text}',
  stop_in_force: 'hay una parada de emergencia en vigor: nada debe moverse hasta que alguien la libere',
  stop_not_confirmed_yet:
    'el equipo aún no ha confirmado la parada de emergencia y quizá siga moviéndose; podrá liberarse cuando esté confirmada',
  no_base_to_return_to: 'el equipo no tiene una base a la que volver; indíquela en su configuración',
  no_base_for_failsafe:
    'el equipo no tiene una base a la que volver: indique una base, o elija detenerse o continuar como acciones de seguridad',
  base_used_by_mission:
    'la misión en curso vuelve a la base si se pierde el enlace: anúlela, o quite la base después de su final',
  base_outside_fence: 'la base está fuera de la geocerca',
  target_outside_fence: 'el destino está fuera de la geocerca',
  waypoint_outside_fence: 'el punto de paso {waypoint:waypoint} está fuera de la geocerca',
  waypoints_outside_fence:
    '{count:number} <count:punto de paso está|puntos de paso están> fuera de la geocerca',
  waypoint_not_reachable:
    'no se puede llegar al punto de paso {waypoint:waypoint}, o salir de él, sin dejar la geocerca',
  battery_not_enough:
    'hace falta el {required:number} % de la batería para {distance:number} m y {back:number} m de vuelta, y el {reserve:number} % de reserva; hay el {available:number} %',
  mission_at_that_time: 'hay otra misión en curso o prevista a esa hora',
  missions_ahead: 'el equipo tiene ya {count:number} <count:misión|misiones> por delante',
  start_in_the_past: 'la salida prevista está en el pasado',
  start_too_far_ahead: 'la salida prevista está a más de un año',
  reading_is_old: 'el último valor es de hace {age:number} s: {sensor:sensor}',
  reading_missing: 'el equipo no ha comunicado este valor: {sensor:sensor}',
  mission_not_in_state: 'la misión está {status:missionStatus}, así que no se puede {change:missionChange}',
  mission_being_cancelled: 'la misión se está anulando, así que no se puede {change:missionChange}',
  operation_has_ended: 'la operación ya ha terminado: {status:jobStatus}',
  operation_stop_first:
    'estado de la operación: {status:jobStatus}; párela primero; su final se podrá declarar si el equipo no confirma la parada',
  operation_may_begin:
    'el equipo aún puede empezar la operación hasta {until:time}; su final se podrá declarar después',
  operation_may_stop:
    'el equipo recibió la orden de parar y aún puede confirmarla; el final se podrá declarar desde {from:time}',
  mission_has_ended: 'la misión ya ha terminado: {status:jobStatus}',
  mission_has_not_begun: 'la misión no ha empezado: anúlela',
  mission_may_begin:
    'el equipo aún puede empezar la misión hasta {until:time}; su final se podrá declarar después',
  mission_cancel_first:
    'el equipo está conectado: anule primero la misión; su final se podrá declarar si el equipo no lo confirma',
  mission_may_end:
    'el equipo recibió la orden de terminar la misión y aún puede confirmarla; el final se podrá declarar desde {from:time}',
  command_has_ended: 'la orden ya ha terminado: {status:jobStatus}',
  command_not_sent_yet: 'la orden no se ha enviado, y caduca por sí sola',
  command_may_begin:
    'el equipo aún puede empezar la orden hasta {until:time}; su final se podrá declarar después',
  command_is_asked_for:
    'el equipo está conectado y se le pregunta por esta orden; envíele otra orden, o una parada de emergencia',
  emergency_stop_may_be_confirmed:
    'el equipo aún puede confirmar la parada de emergencia; el final se podrá declarar desde {from:time}',
  commands_to_answer: 'el equipo debe responder primero a {count:number} <count:orden|órdenes>',
  device_is_busy:
    'hay algo en curso en el equipo, o lo espera: {jobs:list}[ y {more:number?} más]; termínelo primero',
  low_level_not_below_high:
    'el nivel bajo ({low:number} %) debe estar por debajo del nivel alto ({high:number} %)',
  critical_level_between:
    'el nivel crítico ({critical:number} %) debe estar por debajo del nivel bajo ({low:number} %) o por encima del nivel alto ({high:number} %)',
  critical_battery_not_below_low:
    'la batería crítica ({critical:number} %) debe estar por debajo de la batería baja ({low:number} %)',
  configuration_changed: 'la configuración está en la versión {current:number}, no en la {given:number}',
  device_changed: 'el equipo está en la versión {current:number}, no en la {given:number}',
  message_waits_already: 'lo último que ha pedido aún espera su envío',
  messages_in_an_hour: 'ha pedido {limit:number} en una hora, que es el límite',

  // Faults of fields
  must_be: 'debe ser {what:alternatives}',
  must_be_like: 'debe ser {what:part}, como {example:text}',
  must_be_at_least: 'debe ser al menos {limit:number}',
  must_be_above: 'debe ser mayor que {limit:number}',
  must_be_at_most: 'debe ser como máximo {limit:number}',
  must_be_below: 'debe ser menor que {limit:number}',
  must_not_be_empty: 'no debe estar vacío',
  must_have_more_characters: 'debe tener al menos {limit:number} <limit:carácter|caracteres>',
  must_have_fewer_characters: 'debe tener como máximo {limit:number} <limit:carácter|caracteres>',
  must_have_an_item: 'debe tener al menos 1 elemento',
  must_have_more_items: 'debe tener al menos {limit:number} <limit:elemento|elementos>',
  must_have_fewer_items:
    'debe tener como máximo {limit:number} <limit:elemento|elementos>, no {count:number}',
  must_not_repeat: 'no debe nombrar nada dos veces',
  must_have_a_field: 'debe tener al menos un campo',
  must_have_one_of: 'debe tener al menos uno de: {fields:text}',
  must_have_just_one_of: 'debe tener solo uno de: {fields:text}',
  must_have_fewer_fields: 'debe tener como máximo {limit:number} <limit:campo|campos>, no {count:number}',
  is_required: 'es obligatorio',
  is_not_known: 'no es un campo conocido',
  is_not_valid: 'no es válido',
  has_lost_its_plus: 'tiene un espacio donde empieza el desfase: en una dirección, un + debe escribirse %2B',
  is_no_time: 'no es una hora',
  is_out_of_range: 'está fuera de todo rango',
  must_be_before_to: 'debe ser antes del final',
  must_be_one_of_zones: 'debe ser una de {zones:text}: los silos de allí están en varias zonas horarias',
  must_be_to_come: 'debe estar por venir',
  has_passed: 'ya ha pasado',
  is_taken: 'ya está ocupado',
  must_be_plain_number: 'debe ser un número sin separadores de miles, como 20000 o 20000,5',
  is_no_column: 'no es una columna conocida; hay {columns:text}',
  is_that_of_row: 'ya está en la fila {row:number}',
  is_beyond_the_key: 'está donde esta clave no puede registrar ningún dispositivo',
  has_open_quote: 'tiene una comilla que no se cierra',
  has_text_after_quote: 'tiene texto después de la comilla que cierra una celda',
  has_too_many_cells: 'tiene demasiadas celdas',
  has_more_cells: 'tiene más celdas que la primera fila',
  is_too_easy: 'es demasiado fácil de adivinar',
  is_listed_twice: 'figura dos veces',
  is_declared_twice: 'está declarado dos veces',
  is_that_of_another_sensor: 'es el de otro sensor',
  is_a_standard_name: 'es el nombre de un sensor o campo estándar',
  is_no_declared_sensor: 'no es un sensor declarado de este equipo',
  is_no_value_of_reading: 'no nombra ningún valor de esta medición',
  is_less_than_a_gram: 'es menor de un gramo',
  must_be_at_most_amount: 'debe ser como máximo {limit:quantity}',
  must_be_greater_than_min: 'debe ser mayor que el mínimo',
  must_be_between: 'debe estar entre {min:number} y {max:number} {unit:text}',
  must_be_below_high_level: 'debe estar por debajo del nivel alto ({limit:number})',
  must_be_outside_levels: 'debe estar fuera del intervalo entre el nivel bajo y el alto',
  must_be_below_low_battery: 'debe estar por debajo de la batería baja ({limit:number})',
  must_have_one_side: 'debe tener o un límite superior o uno inferior',
  must_differ_from_rule: 'debe diferir de la regla {rule:number} en sensor, sentido o gravedad',
  must_be_a_sensor: 'debe ser un sensor del equipo: {sensors:text}',
  must_not_be_from: 'no debe ser la misma hora que el comienzo',
  must_be_above_step: 'debe ser mayor que {limit:number}, el valor del paso anterior',
  must_not_have_two_at_once: 'no debe tener dos entregas a la vez',
  must_be_after_start: 'debe ser después del comienzo ({started:date})',
  a_text: 'un texto',
  a_number: 'un número',
  a_whole_number: 'un número entero',
  true_or_false: 'verdadero o falso',
  an_object: 'un objeto',
  an_array: 'una lista',
  null_value: 'vacío (null)',
  this_value: '«{value:text}»',
  one_of: 'uno de: {options:text}',
  a_match: 'un texto según el patrón {pattern:text}',
  time_with_offset: 'una hora con su desfase, como {example:text}',
  whole_number_between: 'un número entero de {min:number} a {max:number}',
  text_of_one_line: 'un texto sin caracteres de control',
  text_of_lines: 'un texto sin caracteres de control salvo tabuladores y saltos de línea',
  printable_characters: 'de 1 a {limit:number} caracteres imprimibles sin espacios',
  identifier: 'de 1 a 64 letras, cifras, - o _',
  sensor_identifier: 'de 1 a 64 letras, cifras, - o _, el primero una letra o una cifra',
  sensor_type: 'de 1 a 64 letras minúsculas, cifras o _, el primero una letra',
  event_number: 'el número de un evento',
  base_64_url: 'de 1 a {limit:number} caracteres de base64url',
  base_32: '{limit:number} caracteres de A a Z y de 2 a 7',
  label_name:
    'el nombre de una etiqueta: de 1 a 40 letras minúsculas, cifras, puntos, - o _, primero una letra',
  label_value:
    'el valor de una etiqueta: de 1 a {limit:number} caracteres sin comas, y sin espacios en los extremos',
  label_selector: 'una etiqueta como product=wheat, o el nombre de una etiqueta',
  login_name:
    'de 1 a 63 caracteres de a a z, 0 a 9, punto, guion y guion bajo, el primero una letra o una cifra',
  name_that_is_seen: 'un nombre sin caracteres de control ni caracteres invisibles',
  name_of_person: 'un nombre sin caracteres invisibles, el primero no un espacio',
  pin_digits: 'de 4 a 8 cifras',
  address_of_view: 'una dirección de esta página que empieza por #/',
  threshold_rule: 'una regla de umbral como temp_3 above warning',
  time_zone_name: 'una zona horaria como Europe/Berlin',
  local_day: 'un día del calendario, como 2026-03-29',
  time_of_day: 'una hora de 00:00 a 23:59',
  days_ahead: 'un número de días de 1d a 30d',
  email_address: 'una dirección de correo como ada@example.com',
  push_service_address: 'la dirección de un servicio push que este servicio conoce',
  web_address: 'una dirección que empieza por http:// o https://, sin espacios',
  compartments_of_truck:
    'de 1 a {count:number} cantidades en kg, cada una mayor que 0 y como máximo {limit:number}, separadas por comas',

  // The device link
  login_without_id:
    'el identificador de cliente y el usuario deben ser el identificador del equipo, con su secreto como contraseña',
  will_on_other_topic: 'un último mensaje (will) debe ir en el tema de estado propio del equipo',
  storage_silent_at_login: 'el almacenamiento no respondió si el secreto es correcto',
  wrong_login: 'equipo desconocido o secreto incorrecto',
  other_mqtt_version: 'solo se admite MQTT 3.1.1, no {protocol:text}',
  message_not_taken: 'no se pudo aceptar un mensaje',
  connection_not_ended: 'no se pudo cerrar la conexión del equipo: {error:text}',
  topic_of_others: 'el equipo no debe publicar en ese tema',
  does_not_read: 'el equipo no lee lo que se le envía',
  left_unacknowledged: 'el equipo dejó {count:number} <count:mensaje|mensajes> sin confirmar',
  left_unreleased: 'el equipo dejó {count:number} <count:mensaje|mensajes> de QoS 2 sin liberar',
  packet_not_for_server: 'un paquete de tipo {type:number} no es para un servidor',
  packet_too_large: 'un paquete supera {limit:number} bytes',
  no_connect_first: 'la conexión no empieza con CONNECT',
  packet_malformed: 'el paquete está mal formado: {what:text}',

  // Parts of other sentences
  operation_in_state: '{operation:Part} ({status:jobStatus})',
  command_in_state: 'la orden «{command:command}» ({status:jobStatus})',
  mission_in_state: '{mission:mission} ({status:missionStatus})',
  feed: 'llenado de {amount:quantity}[ en {target:text?}]',
  discharge: 'descarga de {amount:quantity}[ en {target:text?}]',
  feed_at_device: 'llenado iniciado en el equipo',
  discharge_at_device: 'descarga iniciada en el equipo',
  operation_at_device: 'operación iniciada en el equipo',
  sensor_silent: '{sensor:sensor} desde {since:time}',
  sensor_implausible:
    '{sensor:sensor} marca {value:quantity}, lo que no puede ser cierto: fuera de {min:quantity} a {max:quantity}',
  sensor_invalid: '{sensor:sensor} marca {value:quantity}, que según el equipo no es válido',
  clock_ahead: 'su reloj adelanta {offset:duration}',
  clock_behind: 'su reloj atrasa {offset:duration}',
  times_in_other_unit: 'sus horas están en {unit:timeUnit}, no en milisegundos',
  value_not_a_number: '{sensor:sensor} es {found:found}, no un número',
  sensor_not_declared: 'el sensor {sensor:sensor} no está declarado',
  other_cause: '{text:text}',
  device_said: '{words:text}',
  device_gave_no_reason: 'el equipo no dio ningún motivo',
  ran_too_long: 'duró más que su límite',
  weight_does_not_move: 'el peso no cambia',
  start_not_sent: 'el arranque no se envió, no se movió nada: {why:notSent}',
  declared_ended: 'final declarado por {person:text}[ ({reason:text?})]; el equipo no lo comunicó',
  never_known: 'el equipo no conoce esta operación, y no se comunicó si empezó[; {scale:part?}]',
  no_longer_known: 'el equipo ya no conoce esta operación, y no se comunicó cuánto movió[; {scale:part?}]',
  scale_shows: 'la báscula muestra {moved:quantity} movidos',
  scale_showed: 'durante la operación, la báscula mostró {moved:quantity} movidos',
  scale_disturbed: 'la báscula no puede decirlo, porque otra operación también movió material',
  scale_without_start: 'la báscula no puede decirlo, porque no se conoce el peso de antes',
  scale_silent: 'la báscula no ha comunicado nada desde el arranque',
  moved_again: 'había vuelto a moverse material a las {again:time}, tras un final anterior',
  moved_again_after_declared:
    'había vuelto a moverse material a las {again:time}, después de que {person:text} declarara el final a las {declared:time}',
  declared_before: 'antes, {person:text} había declarado el final a las {declared:time}',
  amount_not_reported: 'no se comunicó cuánto se movió',
  amount_last_reported: 'el último aviso decía {moved:quantity}, y no se comunicó cuánto se movió en total',
  stop_refused: 'rechazó la parada[ ({reason:text?})]',
  stop_failed: 'no pudo parar[ ({reason:text?})]',
  stop_cancelled: 'anuló la parada[ ({reason:text?})]',
  stop_not_known: 'no conoce la parada[ ({reason:text?})]',
  expired_unsent: 'caducó antes de poder enviarse',
  nothing_sent: 'el equipo no está conectado, no se envió nada',
  stop_came_first: 'antes llegó una parada de emergencia',
  outcome_forgotten: 'el equipo ya no la conoce; no se sabe el resultado',
  did_not_arrive: 'el equipo no la conoce: no llegó a tiempo, o se perdió su memoria',
  did_not_connect: 'el equipo no se conectó a tiempo',
  superseded: 'el equipo la dejó por otra',
  no_word_of_it: 'el equipo no dice qué fue de ella',
  was_cancelled: 'se anuló',
  could_not_begin: 'no pudo empezar a tiempo',
  upload_unanswered:
    'el equipo no respondió a tiempo a la transferencia, así que nunca recibió la orden de salida',
  start_ignored: 'el equipo recibió la orden de salida y comunica que no ha empezado',
  mission_not_sent: 'el equipo no estaba conectado cuando debía recibir la orden de salida, no se envió nada',
  stop_ended_it: 'una parada de emergencia la terminó',
  stop_was_in_force: 'había una parada de emergencia en vigor, así que no empezó',
  mission_forgotten: 'el equipo ya no conoce la misión, no se sabe el resultado; no se inicia otra vez',
  not_heard_again: 'no hubo más noticias del equipo, no se sabe el resultado',
  ended_early: 'el equipo la terminó antes de tiempo y no dio ningún motivo',
};

type Words = { readonly [Kind in keyof typeof WORDS]: Readonly<Record<keyof (typeof WORDS)[Kind], string>> };

export const SENTENCE_WORDS: Words = {
  job: { operation: 'una operación', mission: 'una misión', emergency_stop: 'una parada de emergencia' },
  failsafe: { continue: 'continuar', hold: 'detenerse', return_to_base: 'volver a su base' },
  found: {
    text: 'un texto',
    boolean: 'verdadero o falso',
    null: 'vacío',
    object: 'un objeto',
    list: 'una lista',
  },
  timeUnit: { seconds: 'segundos', microseconds: 'microsegundos', nanoseconds: 'nanosegundos' },
  notSent: {
    not_connected: 'el equipo no está conectado',
    not_subscribed: 'el equipo está conectado, pero no escucha órdenes',
    expired: 'no se pudo enviar a tiempo',
    in_flight: 'otro mensaje al equipo estaba en medio',
  },
  missionChange: { pause: 'pausar', resume: 'reanudar' },
  command: {
    move_to_coordinates: 'ir a un lugar',
    hold: 'detenerse',
    resume: 'reanudar',
    return_to_base: 'volver a la base',
    scan: 'escanear',
    collect_sample: 'tomar una muestra',
    emergency_stop: 'parada de emergencia',
    release_emergency_stop: 'liberación de la parada de emergencia',
  },
  jobStatus: {
    started: 'iniciada',
    in_progress: 'en curso',
    unconfirmed: 'sin confirmar',
    stopping: 'parando',
    stopped: 'parada',
    completed: 'terminada',
    failed: 'con fallo',
    queued: 'en espera',
    sent: 'enviada',
    executing: 'en ejecución',
    succeeded: 'lograda',
    rejected: 'rechazada',
    cancelled: 'anulada',
    expired: 'caducada',
    timed_out: 'sin respuesta',
    scheduled: 'prevista',
    dispatched: 'enviada al equipo',
    paused: 'en pausa',
    aborted: 'interrumpida',
    missed: 'perdida',
  },
  missionRequest: { pause: 'la pausa', resume: 'la reanudación', cancel: 'el final' },
  missionStatus: {
    scheduled: 'prevista para más tarde',
    dispatched: 'enviada al equipo, pero sin empezar',
    in_progress: 'en curso',
    paused: 'en pausa',
    completed: 'terminada',
    aborted: 'interrumpida',
    failed: 'fallida',
    missed: 'perdida',
    cancelled: 'anulada',
  },
  animals: {
    broiler: 'pollos de engorde',
    layer: 'gallinas ponedoras',
    pig: 'cerdos',
    dairy: 'vacas lecheras',
    other: 'otros',
  },
  animalsField: {
    heads: 'su número',
    started_on: 'el día desde el que están',
    ends_on: 'el día en que se van',
  },
  comparison: { more: 'más', less: 'menos' },
  weekday: {
    0: 'lunes',
    1: 'martes',
    2: 'miércoles',
    3: 'jueves',
    4: 'viernes',
    5: 'sábado',
    6: 'domingo',
  },
};
