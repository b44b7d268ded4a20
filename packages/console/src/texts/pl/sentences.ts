import type { SentenceCode } from '@granary/contract/sentences/english';
import type { WORDS } from '@granary/contract/sentences/words';

/** The template of every code; what the templates can contain is said in `contract/src/sentences/sentence.ts`. */
export const SENTENCES: Readonly<Record<SentenceCode, string>> = {
  // Alerts
  level_below: 'Poziom {level:percent}, na progu {limit:number} % lub poniżej',
  level_above: 'Poziom {level:percent}, na progu {limit:number} % lub powyżej',
  battery_below: 'Akumulator {level:percent}, na progu {limit:number} % lub poniżej',
  sensor_above: '{sensor:Sensor}: {value:quantity}, na progu {limit:quantity} lub powyżej',
  sensor_below: '{sensor:Sensor}: {value:quantity}, na progu {limit:quantity} lub poniżej',
  sensor_above_named: '{name:text}: {sensor:sensor} {value:quantity}, na progu {limit:quantity} lub powyżej',
  sensor_below_named: '{name:text}: {sensor:sensor} {value:quantity}, na progu {limit:quantity} lub poniżej',
  sensors_silent:
    'Urządzenie jest połączone, ale brakuje wartości: {sensors:list}[ i jeszcze {more:number?}]',
  sensors_implausible: '{sensors:Clauses}[; i jeszcze {more:number?}]',
  went_offline: 'Urządzenie nie jest połączone',
  went_offline_during: 'Urządzenie nie jest połączone podczas {job:job}',
  readings_refused:
    'Odczyty są odrzucane: {cause:part} ({messages:number} <messages:wiadomość|wiadomości|wiadomości> z rzędu od {since:time})',
  readings_partly_refused:
    'Część odczytów jest odrzucana: {cause:part} ({messages:number} <messages:wiadomość|wiadomości|wiadomości> z rzędu od {since:time})',
  clock_ahead_or_late:
    'Zegar spieszy się o {offset:duration} albo odczyty są wysyłane z opóźnieniem {offset:duration}: liczą się jako stare, więc żaden poziom ani próg nie jest pilnowany',
  clock_behind_or_late:
    'Zegar spóźnia się o {offset:duration} albo odczyty są wysyłane z opóźnieniem {offset:duration}: liczą się jako stare, więc żaden poziom ani próg nie jest pilnowany',
  two_clients:
    'Dwa programy logują się jako to urządzenie i wypierają się wzajemnie: {takeovers:number} <takeovers:raz|razy|razy> w ciągu minuty, z {addresses:names}',
  two_clients_same_address:
    'Dwa programy logują się jako to urządzenie i wypierają się wzajemnie: {takeovers:number} <takeovers:raz|razy|razy> w ciągu minuty, wszystkie z {address:text}',
  two_clients_or_bad_link:
    'Dwa programy logują się jako to urządzenie albo połączenie ciągle się zrywa: {takeovers:number} <takeovers:nowe połączenie|nowe połączenia|nowych połączeń> w ciągu minuty; ich adresy zna tylko broker',
  maintenance_overdue: 'Termin konserwacji minął {due:time}',
  operation_stalled: '{operation:Part} – zatrzymanie się[ przy {moved:quantity?}]: {why:part}',
  operation_overran: '{operation:Part} – brak końca na czas[ przy {moved:quantity?}]: {why:part}',
  operation_refused: '{operation:Part} – odmowa urządzenia, niczego nie przesypano: {why:part}',
  operation_outcome_unknown: '{operation:Part} – koniec bez znanego wyniku: {why:part}',
  operation_declared_ended: '{operation:Part} – {why:part}',
  operation_broke_off: '{operation:Part} – niepowodzenie[ przy {moved:quantity?}]: {why:part}',
  operation_stop_unconfirmed:
    '{operation:Part}: urządzenie nie potwierdziło zatrzymania, więc może się nadal poruszać; stop jest powtarzany aż do potwierdzenia',
  operation_unasked: 'Operację rozpoczęto przy urządzeniu, nie przez tę usługę',
  feed_unasked: 'Zasyp rozpoczęto przy urządzeniu, nie przez tę usługę',
  discharge_unasked: 'Wysyp rozpoczęto przy urządzeniu, nie przez tę usługę',
  operation_imbalance:
    '{operation:Part}: urządzenie zgłosiło {reported:quantity}, waga pokazuje {measured:quantity}, różnica {difference:number} %',
  outside_fence: 'Urządzenie jest poza geostrefą, w {place:place}; ma {action:failsafe}',
  mission_ended_badly: '{mission:mission} {status:missionStatus}[: {why:part?}]',
  mission_start_unanswered: '{mission:mission}: polecono start, a urządzenie nie podaje, czy zaczęło',
  mission_pause_unconfirmed:
    '{mission:mission}: urządzenie nie potwierdziło wstrzymania, więc może się nadal poruszać; polecenie jest powtarzane aż do potwierdzenia',
  mission_end_unconfirmed:
    '{mission:mission}: urządzenie nie potwierdziło zakończenia, więc może się nadal poruszać; polecenie jest powtarzane aż do potwierdzenia',
  stop_unconfirmed:
    'Urządzenie nie potwierdziło stopu awaryjnego, więc może się nadal poruszać; stop jest powtarzany aż do potwierdzenia[; ostatnia odpowiedź: {answer:part?}]',
  may_run_empty: 'Może być pusty za {left:duration}, a wcześniej nie zaplanowano dostawy',
  nothing_usable_left: 'Nie zostało nic do wykorzystania',
  // Details of operations
  start_given_out: 'Start wydano {started:time}; potwierdzenie urządzenia jest oczekiwane do {until:time}.',
  operation_acknowledged:
    'Urządzenie potwierdziło start i nie zgłosiło jeszcze postępu; koniec jest oczekiwany do {until:time}, potem nastąpi zatrzymanie.',
  operation_moving:
    'Urządzenie zgłosiło {moved:quantity} z {target:quantity}; koniec jest oczekiwany do {until:time}, potem nastąpi zatrzymanie.',
  operation_moving_unasked:
    'Urządzenie zgłosiło {moved:quantity}; rozpoczęto przy urządzeniu, nie przez tę usługę.',
  start_unacknowledged:
    'Urządzenie nie potwierdziło startu i może zacząć do {until:time}; jest pytane aż do odpowiedzi, a jeśli po tym czasie nie zna operacji, jest ona zakończona.',
  operation_unheard:
    'Od {heard:time} nie ma o niej wieści, więc może nadal trwać[, najdłużej do {limit:time?} według własnego limitu]; urządzenie zostanie zapytane, gdy się połączy.',
  stop_requested:
    'Zatrzymania zażądano {requested:time}; stop jest powtarzany, aż urządzenie potwierdzi[ albo po {decided:time?} powie, że nie zna operacji].',
  stopping_because:
    'Zatrzymywanie, ponieważ {why:part}; stop jest powtarzany, aż urządzenie potwierdzi[ albo po {decided:time?} powie, że nie zna operacji].',
  stopping_moved_again:
    'Ruch nastąpił znów {again:time}, już po zakończeniu; stop jest powtarzany, aż urządzenie potwierdzi[ albo po {decided:time?} powie, że nie zna operacji].',
  stopping_moved_after_declared:
    'Ruch nastąpił znów {again:time}, po tym jak {person:text} uznał(a) to za zakończone {declared:time}; stop jest powtarzany, aż urządzenie potwierdzi[ albo po {decided:time?} powie, że nie zna operacji].',
  operation_completed:
    'Urządzenie zgłosiło zakończenie operacji: {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_stopped:
    'Urządzenie potwierdziło zatrzymanie przy {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_not_running: 'Urządzenie nie zna operacji, więc ona nie trwa; {reported:part}; {scale:part}.',
  operation_start_refused: 'Urządzenie odmówiło startu, więc niczego nie przesypano: {why:part}.',
  operation_not_sent: '{why:Part}.',
  operation_failed_unknown: 'Nie udało się: {why:part}.',
  operation_failed_unreported: 'Nie udało się: {why:part}; {reported:part}; {scale:part}.',
  operation_failed:
    'Nie udało się: {why:part}; urządzenie zgłosiło {moved:quantity}[; {scale:part?}][; {before:part?}].',
  operation_end_declared: 'Koniec: {why:part}; {reported:part}[; {scale:part?}].',
  stop_sent_not_stored:
    'Stop wysłano do urządzenia; nie można go było jeszcze zapisać, więc jest powtarzany, aż się uda.',
  stop_waits_not_stored:
    'Urządzenie nie jest połączone, stop zostanie wysłany, gdy się połączy; nie można go było jeszcze zapisać, więc jest powtarzany, aż się uda.',
  // Steps of a trace
  feed_requested: 'Zasyp {amount:quantity}[ do {target:text?}] przy {rate:quantity}.',
  discharge_requested: 'Wysyp {amount:quantity}[ do {target:text?}] przy {rate:quantity}.',
  start_checked:
    'Przyjęto[ przy zawartości {inside:quantity?}]: urządzenie może przesypać najwyżej {most:quantity} w {seconds:number} s.',
  start_sent: 'Start wysłano, ważny do {until:time}.',
  start_was_not_sent: '{why:Part}.',
  begun_at_device: 'Urządzenie zgłosiło operację, którą samo rozpoczęło.',
  device_confirmed: 'Urządzenie potwierdziło, że ma operację.',
  last_report: 'Ostatnie zgłoszenie urządzenia: {moved:quantity}.',
  last_report_unknown: 'Urządzenie zgłosiło, że nie zna operacji.',
  report_requested: 'Usługa poprosiła urządzenie o zgłoszenie.',
  stop_was_requested: 'Zażądano zatrzymania.',
  service_stops: 'Usługa zatrzymuje: {why:part}.',
  service_stops_moved_again: 'Usługa zatrzymuje: ruch nastąpił po zakończeniu.',
  stop_last_sent: 'Ostatnio wysłano stop do urządzenia.',
  weight_last_changed: 'Waga ostatnio widziała zmianę masy.',
  scale_measured: 'Waga pokazuje przesypane {moved:quantity}.',
  end_declared: '{person:text}: sprawdzono i uznano za zakończone[: {reason:text?}].',
  // Details of commands
  command_queued: 'Czeka na połączenie urządzenia[, do {until:time?}].',
  command_sent: 'Wysłano; urządzenie jeszcze nie odpowiedziało i jest pytane do {until:time}.',
  command_executing: 'Urządzenie wykonuje; następne zgłoszenie jest oczekiwane do {until:time}.',
  command_succeeded: 'Urządzenie zgłosiło wykonanie.',
  command_timed_out: 'Wynik nieznany: urządzenie nie odpowiedziało i jest pytane do {until:time}.',
  command_failed: 'Nie udało się[: {why:part?}].',
  command_rejected: 'Urządzenie odrzuciło[: {why:part?}].',
  command_cancelled: 'Anulowano[: {why:part?}].',
  command_expired: 'Nie wykonano[: {why:part?}].',
  command_end_declared: 'Koniec: {why:part}.',
  emergency_stop_waits:
    'Urządzenie nie jest połączone; stop awaryjny zostanie wysłany, gdy się połączy, a do tego czasu nikt nie wie, czy urządzenie stoi.',
  emergency_stop_repeated:
    'Jest powtarzany co sekundę, aż urządzenie potwierdzi, że stoi[; ostatnia odpowiedź: {answer:part?}].',
  emergency_stop_confirmed:
    'Urządzenie potwierdziło, że stoi; nie przyjmie ruchu, dopóki ktoś nie zwolni stopu awaryjnego.',
  emergency_stop_released: 'Urządzenie potwierdziło, że stoi; ten stop awaryjny już nie obowiązuje.',
  emergency_stop_ended: 'Zakończył się bez potwierdzenia[: {why:part?}].',
  emergency_stop_declared:
    'Koniec: {why:part}; nie jest już powtarzany i obowiązuje, dopóki ktoś go nie zwolni.',
  emergency_stop_declared_released: 'Koniec: {why:part}; ten stop awaryjny już nie obowiązuje.',
  // Attention
  job_on_offline_device: 'Urządzenie nie jest połączone, a coś na nim trwa.',
  // Details of missions
  mission_scheduled:
    'Zacznie się {start:time}, jeśli urządzenie będzie połączone i wolne; przepadnie, jeśli nie zacznie się do {until:time}.',
  mission_may_have_begun: 'Urządzenie mogło ją zacząć i musi jeszcze potwierdzić {request:missionRequest}.',
  mission_told_to_start:
    'Urządzeniu polecono start {told:time} i nie zgłosiło ono początku; jest pytane co kilka sekund[; bez zgłoszenia misja przepada {lost:time?}].',
  mission_sent: 'Wysłano do urządzenia, odpowiedź jest oczekiwana do {until:time}.',
  mission_accepted:
    'Urządzenie ją ma; start zostanie polecony {start:time} lub gdy będzie połączone i wolne, do {until:time}.',
  mission_under_way:
    'Trwa, osiągnięto {reached:number} z {waypoints:number} <waypoints:punktu|punktów|punktów> trasy[; urządzenie musi jeszcze potwierdzić {request:missionRequest?}][, do {until:time?}].',
  mission_paused:
    'Wstrzymana, osiągnięto {reached:number} z {waypoints:number} <waypoints:punktu|punktów|punktów> trasy[; urządzenie musi jeszcze potwierdzić {request:missionRequest?}][, do {until:time?}].',
  mission_under_way_silent:
    'Trwała, osiągnięto {reached:number} z {waypoints:number} <waypoints:punktu|punktów|punktów> trasy przy ostatnim kontakcie; od {since:time} nie ma wieści, a wtedy urządzenie ma {action:failsafe}[; bez zgłoszenia misja przepada {lost:time?}].',
  mission_paused_silent:
    'Wstrzymana, osiągnięto {reached:number} z {waypoints:number} <waypoints:punktu|punktów|punktów> trasy przy ostatnim kontakcie; od {since:time} nie ma wieści, a wtedy urządzenie ma {action:failsafe}[; bez zgłoszenia misja przepada {lost:time?}].',
  mission_completed: 'Urządzenie zgłosiło zakończenie.',
  mission_aborted: 'Przerwana[: {why:part?}].',
  mission_failed: 'Nieudana[: {why:part?}].',
  mission_missed: 'Przepadła[: {why:part?}].',
  mission_cancelled: 'Anulowana[: {why:part?}].',
  // Forecasts
  uses: 'Zużywa {kg_per_day:mass} dziennie[, {change_percent:change?} niż tydzień wcześniej].',
  animals_curve:
    'Zużycie jak dla grupy {kind:animals} w dniu {age_days:number}, {percent_of_curve:number} % ich krzywej.',
  animals_end: 'Zwierzęta odchodzą {day:date}.',
  animals_do_not_match:
    'Zużycie to {percent_of_curve:number} % krzywej zwierząt, więc krzywa nie jest używana.',
  animals_not_plausible: 'Wpisane zwierzęta nie mogą się zgadzać: sprawdź {what:animalsField}.',
  weekdays: 'Małe zużycie: {quiet:weekdays}.',
  refills: 'Napełnienia w ciągu {days:number} <days:dnia|dni|dni>: {count:number}.',
  learning:
    'Prognoza potrzebuje pełnych dni: {needed:number}; <days:znany jest|znane są|znanych jest> {days:number}.',
  stale: 'Obecna masa jest nieznana[: ostatnia sprzed {hours:number?} h, z {last:time?}].',
  weight_unchanged: 'Masa nie zmieniła się od {since:time}, choć coś powinno być zużyte.',
  idle: 'Nic nie zużyto w ciągu {days:number} <days:dnia|dni|dni>.',
  lasts_longer: 'Wystarczy na ponad {days:number} <days:dzień|dni|dni>.',
  wide_range:
    'Zużycie tak się zmienia, że najpóźniejszy czas jest {ratio:number} razy dalej niż najwcześniejszy.',
  capacity_not_plausible: 'Pojemność {capacity_kg:mass} nie pasuje do masy {level_kg:mass}.',
  order_overdue: 'Czas zamówienia minął {hours:number} h temu.',
  // Grain
  no_grain: 'Konfiguracja nie podaje ziarna i żaden czujnik nie ma miejsca na kablu.',
  air_cools: 'Powietrze ma {outside_c:temperature}, ziarno {grain_c:temperature}.',
  air_dries: 'Powietrze suszy ziarno do {equilibrium_percent:number} %.',
  rain: 'Pada deszcz.',
  too_humid: 'Powietrze jest zbyt wilgotne.',
  too_cold: 'Powietrze jest zbyt zimne.',
  not_cool_enough: 'Powietrze nie jest dość chłodne.',
  would_add_moisture: 'Powietrze dodałoby wilgoci.',
  would_over_dry: 'Powietrze zbyt wysuszyłoby ziarno.',
  grain_is_cool_and_dry: 'Ziarno jest chłodne i suche.',
  // Findings
  operation_moves_nothing:
    'Operacja przesypała {moved_kg:mass} w {minutes:number} <minutes:minutę|minuty|minut>; oczekiwano {expected_kg:mass}',
  use_has_stopped:
    'Zużyto tylko {used_kg:mass} w {hours:number} <hours:godzinę|godziny|godzin>; oczekiwano co najmniej {expected_at_least_kg:mass}',
  material_has_fallen: 'Zawieszony materiał spadł naraz: {fallen_kg:mass}',
  steady_loss:
    'Traci {loss_kg_per_day:mass} dziennie, czego nic nie tłumaczy, przez {nights:number} <nights:noc|noce|nocy>',
  step_down: 'Ubyło naraz {loss_kg:mass}, bez operacji',
  stuck:
    'Masa stoi na {level_kg:mass} od {unchanged_h:number} <unchanged_h:godziny|godzin|godzin>, w których powinno się zużyć {expected_use_kg:mass}',
  drift:
    'Waga dryfuje o {drift_kg_per_day:mass} dziennie, czego nic nie tłumaczy, przez {nights:number} <nights:noc|noce|nocy>',
  less_than_noted: 'Waga pokazuje {measured_kg:mass} z {noted_kg:mass} na dowodzie dostawy',
  more_than_noted: 'Waga pokazuje {measured_kg:mass}, więcej niż {noted_kg:mass} na dowodzie dostawy',
  scale_differs_always:
    'Waga pokazuje {measured_kg:mass} z {noted_kg:mass} na dowodzie dostawy, jak przy wcześniejszych dostawach: waga jest błędna',
  point_gets_warmer:
    'Punkt kabla się nagrzewa[: ma {temperature_c:temperature?}][, o {warmer_by_c:warming?} więcej niż wokół][, i zyskuje {slope_c_per_day:warming?} dziennie]',
  storage_life_used:
    'Zużyto {used_percent:number} % bezpiecznego czasu przechowywania[; w obecnej temperaturze zostaje dni: {remaining_days:number?}]',
  flows: 'Materiał płynie',
  no_loss: 'Brak ubytku',
  steady: 'Waga jest stabilna',
  as_noted: 'Zgodnie z dowodem dostawy',
  no_hot_spot_seen: 'Nie widać ogniska ciepła',
  keeps: 'Zużyto {used_percent:number} % bezpiecznego czasu przechowywania',
  withdrawals_not_known:
    'Nie każdy pobór jest operacją tej usługi, więc ubytku ani dryfu nie można odróżnić od zużycia',
  too_few_nights: 'Potrzeba nocy: {nights_needed:number}; znanych: {nights:number}',
  too_few_days: 'Znanych jest zbyt mało dni',
  no_use_expected: 'W tym czasie nie oczekuje się zużycia',
  use_too_small: 'Zużycie jest zbyt małe, by je zobaczyć',
  no_weights: 'Brak aktualnej masy',
  nearly_empty: 'Silos jest prawie pusty',
  other_movement: 'W tym czasie przesypano coś innego',
  runs_too_short: 'Operacja trwa zbyt krótko',
  scale_too_uneven: 'Waga jest zbyt niespokojna',
  settling: 'Ziarno niedawno zasypano, przesypano lub przewietrzono, więc temperatury jeszcze nic nie mówią',
  no_data: 'Za mało temperatur',
  // Refusals
  confirmation_by_oneself: 'trzeba to potwierdzić swoim kodem PIN lub hasłem',
  confirmation_by_another: 'musi to potwierdzić inna osoba, która tu obsługuje',
  administrators_need_factor:
    'kto administruje, potrzebuje drugiego składnika lub klucza dostępu; ustaw go na swojej stronie',
  confirmation_has_ended: 'potwierdzenie zostało już użyte lub wygasło; potwierdź ponownie',
  device_is_offline: 'urządzenie nie jest połączone',
  device_is_silent: 'urządzenie jest połączone, ale zbyt długo nic nie przysłało',
  device_not_listening:
    'urządzenie wysyła odczyty, ale nie jest połączone do odbioru poleceń (potrzebuje do tego MQTT), więc niczego nie można mu wysłać',
  device_is_maintained: 'urządzenie jest w konserwacji',
  weight_never_reported: 'urządzenie nigdy nie zgłosiło masy',
  weight_is_old: 'ostatnia masa jest sprzed {age:number} s',
  weight_not_true: 'ostatnia masa nie może być prawdziwa, więc nie wiadomo, ile jest w środku',
  weight_before_last_end: 'ostatnią masę odczytano przed końcem poprzedniej operacji',
  rate_too_high: 'wydajność może wynosić najwyżej {limit:quantity}',
  rate_too_low: 'przy tej wydajności trwałoby to ponad {days:number} <days:dzień|dni|dni>',
  amount_too_small: 'ilość jest mniejsza niż gram',
  no_room:
    'jest miejsce tylko na {available:quantity}[: po ostatnim odczycie masy przesypano do {moved:quantity?}]',
  no_stock:
    'w środku jest tylko {available:quantity}[: po ostatnim odczycie masy przesypano do {moved:quantity?}]',
  operation_under_way: '{operation:Part} – trwa na tym urządzeniu; poczekaj na koniec albo zatrzymaj',
  unreadable_operation_under_way:
    'urządzenie zajmuje operacja, której zapisu nie można odczytać; zatrzymaj ją przy urządzeniu albo przez jej identyfikator {id:text}',
  stop_in_force: 'obowiązuje stop awaryjny: nic nie może się poruszyć, dopóki ktoś go nie zwolni',
  stop_not_confirmed_yet:
    'urządzenie nie potwierdziło jeszcze stopu awaryjnego, więc może się nadal poruszać; zwolnić można po potwierdzeniu',
  no_base_to_return_to: 'urządzenie nie ma bazy, do której mogłoby wrócić; ustaw ją w konfiguracji',
  no_base_for_failsafe:
    'urządzenie nie ma bazy, do której mogłoby wrócić: ustaw bazę albo wybierz jako reakcję postój lub kontynuację',
  base_used_by_mission:
    'trwająca misja wraca do bazy przy utracie łącza: anuluj ją albo usuń bazę po jej końcu',
  base_outside_fence: 'baza leży poza geostrefą',
  target_outside_fence: 'cel leży poza geostrefą',
  waypoint_outside_fence: 'punkt trasy {waypoint:waypoint} leży poza geostrefą',
  waypoints_outside_fence:
    '{count:number} <count:punkt trasy leży|punkty trasy leżą|punktów trasy leży> poza geostrefą',
  waypoint_not_reachable:
    'do punktu trasy {waypoint:waypoint} nie można dotrzeć ani z niego wrócić bez opuszczenia geostrefy',
  battery_not_enough:
    'potrzeba {required:number} % akumulatora na {distance:number} m i {back:number} m powrotu oraz {reserve:number} % rezerwy; jest {available:number} %',
  mission_at_that_time: 'w tym czasie trwa lub jest zaplanowana inna misja',
  missions_ahead: 'urządzenie ma przed sobą {count:number} <count:misję|misje|misji>',
  start_in_the_past: 'zaplanowany początek leży w przeszłości',
  start_too_far_ahead: 'zaplanowany początek jest odległy o ponad rok',
  reading_is_old: 'ostatnia wartość ({sensor:sensor}) jest sprzed {age:number} s',
  reading_missing: 'urządzenie nie zgłosiło wartości: {sensor:sensor}',
  mission_not_in_state: 'misja {status:missionStatus}, więc nie może być {change:missionChange}',
  mission_being_cancelled: 'misja jest anulowana, więc nie może być {change:missionChange}',
  operation_has_ended: 'operacja już się skończyła: {status:jobStatus}',
  operation_stop_first:
    'stan operacji: {status:jobStatus}; najpierw zatrzymaj; koniec można uznać, jeśli urządzenie nie potwierdzi zatrzymania',
  operation_may_begin:
    'urządzenie może jeszcze zacząć operację do {until:time}; potem można uznać ją za zakończoną',
  operation_may_stop:
    'urządzeniu polecono zatrzymanie i może je jeszcze potwierdzić; koniec można uznać od {from:time}',
  mission_has_ended: 'misja już się skończyła: {status:jobStatus}',
  mission_has_not_begun: 'misja się nie zaczęła: zamiast tego ją anuluj',
  mission_may_begin:
    'urządzenie może jeszcze zacząć misję do {until:time}; potem można uznać ją za zakończoną',
  mission_cancel_first:
    'urządzenie jest połączone: najpierw anuluj misję; koniec można uznać, jeśli urządzenie tego nie potwierdzi',
  mission_may_end:
    'urządzeniu polecono zakończyć misję i może to jeszcze potwierdzić; koniec można uznać od {from:time}',
  command_has_ended: 'polecenie już się skończyło: {status:jobStatus}',
  command_not_sent_yet: 'polecenia nie wysłano i samo wygaśnie',
  command_may_begin:
    'urządzenie może jeszcze zacząć polecenie do {until:time}; potem można uznać je za zakończone',
  command_is_asked_for:
    'urządzenie jest połączone i pytane, co stało się z poleceniem; wyślij inne polecenie albo stop awaryjny',
  emergency_stop_may_be_confirmed:
    'urządzenie może jeszcze potwierdzić stop awaryjny; koniec można uznać od {from:time}',
  commands_to_answer:
    'urządzenie musi najpierw odpowiedzieć na {count:number} <count:polecenie|polecenia|poleceń>',
  device_is_busy:
    'na urządzeniu coś trwa lub na nie czeka: {jobs:list}[ i jeszcze {more:number?}]; najpierw to zakończ',
  low_level_not_below_high:
    'niski poziom ({low:number} %) musi leżeć poniżej wysokiego poziomu ({high:number} %)',
  critical_level_between:
    'poziom krytyczny ({critical:number} %) musi leżeć poniżej niskiego poziomu ({low:number} %) lub powyżej wysokiego ({high:number} %)',
  critical_battery_not_below_low:
    'krytyczny stan akumulatora ({critical:number} %) musi leżeć poniżej słabego ({low:number} %)',
  configuration_changed: 'konfiguracja ma wersję {current:number}, a nie {given:number}',
  device_changed: 'urządzenie ma wersję {current:number}, a nie {given:number}',
  message_waits_already: 'to, o co ostatnio poproszono, czeka jeszcze na wysłanie',
  messages_in_an_hour: 'w ciągu godziny poproszono o to {limit:number} razy, a to jest limit',
  // Faults of fields
  must_be: 'musi być: {what:alternatives}',
  must_be_like: 'musi być: {what:part}, np. {example:text}',
  must_be_at_least: 'musi wynosić co najmniej {limit:number}',
  must_be_above: 'musi być większe niż {limit:number}',
  must_be_at_most: 'może wynosić najwyżej {limit:number}',
  must_be_below: 'musi być mniejsze niż {limit:number}',
  must_not_be_empty: 'nie może być puste',
  must_have_more_characters: 'musi mieć co najmniej {limit:number} <limit:znak|znaki|znaków>',
  must_have_fewer_characters: 'może mieć najwyżej {limit:number} <limit:znak|znaki|znaków>',
  must_have_an_item: 'musi mieć co najmniej 1 pozycję',
  must_have_more_items: 'musi mieć co najmniej {limit:number} <limit:pozycję|pozycje|pozycji>',
  must_have_fewer_items:
    'może mieć najwyżej {limit:number} <limit:pozycję|pozycje|pozycji>, a nie {count:number}',
  must_not_repeat: 'nie może niczego wymieniać dwa razy',
  must_have_a_field: 'musi mieć co najmniej jedno pole',
  must_have_one_of: 'musi mieć co najmniej jedno z {fields:text}',
  must_have_just_one_of: 'musi mieć dokładnie jedno z {fields:text}',
  must_have_fewer_fields: 'może mieć najwyżej {limit:number} <limit:pole|pola|pól>, a nie {count:number}',
  is_required: 'jest wymagane',
  is_not_known: 'nie jest znanym polem',
  is_not_valid: 'jest niepoprawne',
  has_lost_its_plus: 'ma spację tam, gdzie zaczyna się przesunięcie: w adresie + trzeba pisać jako %2B',
  is_no_time: 'nie jest czasem',
  is_out_of_range: 'jest poza wszelkim zakresem',
  must_be_before_to: 'musi leżeć przed „do”',
  must_be_one_of_zones: 'musi być jedną z: {zones:text}; silosy leżą tam w kilku strefach czasowych',
  must_be_to_come: 'musi być czasem w przyszłości',
  has_passed: 'już minęło',
  is_taken: 'jest zajęte',
  is_too_easy: 'jest zbyt łatwe do odgadnięcia',
  is_listed_twice: 'jest wymienione dwa razy',
  is_declared_twice: 'jest zadeklarowane dwa razy',
  is_that_of_another_sensor: 'należy do innego czujnika',
  is_a_standard_name: 'jest nazwą standardowego czujnika lub pola',
  is_no_declared_sensor: 'nie jest zadeklarowanym czujnikiem tego urządzenia',
  is_no_value_of_reading: 'nie nazywa żadnej wartości tego odczytu',
  is_less_than_a_gram: 'jest mniejsze niż gram',
  must_be_at_most_amount: 'może wynosić najwyżej {limit:quantity}',
  must_be_greater_than_min: 'musi być większe niż minimum',
  must_be_between: 'musi leżeć między {min:number} a {max:number} {unit:text}',
  must_be_below_high_level: 'musi leżeć poniżej wysokiego poziomu ({limit:number})',
  must_be_outside_levels: 'musi leżeć poza zakresem od niskiego do wysokiego poziomu',
  must_be_below_low_battery: 'musi leżeć poniżej słabego akumulatora ({limit:number})',
  must_have_one_side: 'musi mieć albo stronę górną, albo dolną',
  must_differ_from_rule: 'musi różnić się od /rules/{rule:number} czujnikiem, stroną lub ważnością',
  must_be_a_sensor: 'musi być czujnikiem urządzenia: {sensors:text}',
  must_not_be_from: 'nie może być tym samym czasem co „od”',
  must_be_above_step: 'musi być większe niż {limit:number} z poprzedniego kroku',
  must_not_have_two_at_once: 'nie może mieć dwóch dostaw w tym samym czasie',
  must_be_after_start: 'musi leżeć po początku ({started:date})',
  must_be_plain_number: 'musi być liczbą bez separatorów tysięcy, np. 20000 lub 20000,5',
  is_no_column: 'nie jest znaną kolumną; są: {columns:text}',
  is_that_of_row: 'jest już w wierszu {row:number}',
  is_beyond_the_key: 'leży tam, gdzie ten klucz nie może rejestrować urządzeń',
  has_open_quote: 'ma cudzysłów, który się nie kończy',
  has_text_after_quote: 'ma tekst po cudzysłowie zamykającym komórkę',
  has_too_many_cells: 'ma zbyt wiele komórek',
  has_more_cells: 'ma więcej komórek niż pierwszy wiersz',
  // What a value has to be
  a_text: 'tekst',
  a_number: 'liczba',
  a_whole_number: 'liczba całkowita',
  true_or_false: 'prawda lub fałsz',
  an_object: 'obiekt',
  an_array: 'lista',
  null_value: 'null (puste)',
  this_value: 'wartość {value:text}',
  one_of: 'jedno z {options:text}',
  a_match: 'tekst pasujący do {pattern:text}',
  time_with_offset: 'czas z przesunięciem, np. {example:text}',
  whole_number_between: 'liczba całkowita od {min:number} do {max:number}',
  text_of_one_line: 'tekst bez znaków sterujących',
  text_of_lines: 'tekst bez znaków sterujących innych niż tabulatory i końce wierszy',
  printable_characters: '1 do {limit:number} drukowalnych znaków bez spacji',
  identifier: '1 do 64 liter, cyfr, - lub _',
  sensor_identifier: '1 do 64 liter, cyfr, - lub _, pierwszy znak to litera lub cyfra',
  sensor_type: '1 do 64 małych liter, cyfr lub _, pierwszy znak to litera',
  event_number: 'identyfikator zdarzenia',
  base_64_url: '1 do {limit:number} znaków base64url',
  base_32: '{limit:number} znaków od A do Z i od 2 do 7',
  login_name:
    '1 do 63 znaków od a do z, od 0 do 9, kropka, łącznik i podkreślenie, pierwszy to litera lub cyfra',
  name_that_is_seen: 'nazwa bez znaków sterujących i niewidocznych',
  name_of_person: 'nazwisko bez niewidocznych znaków, bez spacji na początku',
  pin_digits: '4 do 8 cyfr',
  label_name: 'nazwa etykiety: 1 do 40 małych liter, cyfr, kropek, - lub _, pierwszy znak to litera',
  label_value: 'wartość etykiety: 1 do {limit:number} znaków bez przecinków i bez spacji na końcach',
  label_selector: 'etykieta taka jak product=wheat albo nazwa etykiety',
  address_of_view: 'adres strony obsługi, który zaczyna się od #/',
  threshold_rule: 'reguła progowa, np. temp_3 above warning',
  time_zone_name: 'strefa czasowa, np. Europe/Berlin',
  local_day: 'dzień kalendarza, np. 2026-03-29',
  time_of_day: 'godzina od 00:00 do 23:59',
  days_ahead: 'liczba dni od 1d do 30d',
  email_address: 'adres e-mail, np. ada@example.com',
  push_service_address: 'adresem usługi push, którą zna ta usługa',
  web_address: 'adres, który zaczyna się od http:// lub https://, bez spacji',
  compartments_of_truck:
    '1 do {count:number} ilości w kg, każda większa niż 0 i najwyżej {limit:number}, oddzielone przecinkami',
  // Refused logins and faults of the device link
  login_without_id:
    'identyfikator klienta i nazwa użytkownika muszą być identyfikatorem urządzenia, z sekretem jako hasłem',
  will_on_other_topic: 'ostatnia wola należy do tematu stanu tego urządzenia',
  storage_silent_at_login: 'baza danych nie odpowiedziała, czy sekret jest poprawny',
  wrong_login: 'nieznane urządzenie lub błędny sekret',
  other_mqtt_version: 'obsługiwany jest tylko MQTT 3.1.1, a nie {protocol:text}',
  message_not_taken: 'wiadomości nie można było przyjąć',
  connection_not_ended: 'połączenia urządzenia nie można było zakończyć: {error:text}',
  topic_of_others: 'urządzenie nie może publikować w tym temacie',
  does_not_read: 'urządzenie nie odbiera tego, co jest mu wysyłane',
  left_unacknowledged: 'urządzenie nie potwierdziło {count:number} <count:wiadomości|wiadomości|wiadomości>',
  left_unreleased: 'urządzenie nie zwolniło {count:number} <count:wiadomości|wiadomości|wiadomości> QoS 2',
  packet_not_for_server: 'pakiet typu {type:number} nie jest dla serwera',
  packet_too_large: 'pakiet jest większy niż {limit:number} <limit:bajt|bajty|bajtów>',
  no_connect_first: 'połączenie nie zaczyna się od CONNECT',
  packet_malformed: 'pakiet jest niepoprawny: {what:text}',
  // Parts of other sentences
  feed: 'zasyp {amount:quantity}[ do {target:text?}]',
  discharge: 'wysyp {amount:quantity}[ do {target:text?}]',
  feed_at_device: 'zasyp rozpoczęty przy urządzeniu',
  discharge_at_device: 'wysyp rozpoczęty przy urządzeniu',
  operation_at_device: 'operacja rozpoczęta przy urządzeniu',
  operation_in_state: '{operation:Part} ({status:jobStatus})',
  command_in_state: 'polecenie „{command:command}” ({status:jobStatus})',
  mission_in_state: '{mission:mission} ({status:missionStatus})',
  sensor_silent: 'brak ({sensor:sensor}) od {since:time}',
  sensor_implausible:
    '{sensor:sensor} podaje {value:quantity}, co nie może być prawdą: poza zakresem od {min:quantity} do {max:quantity}',
  sensor_invalid: '{sensor:sensor} podaje {value:quantity}, według urządzenia wartość nieważna',
  clock_ahead: 'zegar spieszy się o {offset:duration}',
  clock_behind: 'zegar spóźnia się o {offset:duration}',
  times_in_other_unit: 'czasy są podane w {unit:timeUnit}, a nie w milisekundach',
  value_not_a_number: '{sensor:sensor} to {found:found}, a nie liczba',
  sensor_not_declared: 'czujnik {sensor:sensor} nie jest zadeklarowany',
  other_cause: '{text:text}',
  device_said: '{words:text}',
  device_gave_no_reason: 'urządzenie nie podało powodu',
  ran_too_long: 'trwała dłużej niż jej limit',
  weight_does_not_move: 'masa się nie zmienia',
  start_not_sent: 'startu nie wysłano, więc nic się nie poruszyło: {why:notSent}',
  declared_ended: 'za zakończone uznał(a) {person:text}[ ({reason:text?})]; urządzenie tego nie zgłosiło',
  never_known: 'urządzenie nie zna tej operacji i nie zgłosiło, czy się zaczęła[; {scale:part?}]',
  no_longer_known: 'urządzenie nie zna już tej operacji i nie zgłosiło, ile przesypano[; {scale:part?}]',
  scale_shows: 'waga pokazuje przesypane {moved:quantity}',
  scale_showed: 'w trakcie waga pokazała przesypane {moved:quantity}',
  scale_disturbed: 'waga nie może tego stwierdzić, bo inna operacja też coś przesypała',
  scale_without_start: 'waga nie może tego stwierdzić, bo masa sprzed operacji jest nieznana',
  scale_silent: 'waga nie zgłosiła się od startu',
  moved_again: 'ruch nastąpił znów {again:time} po wcześniejszym końcu',
  moved_again_after_declared:
    'ruch nastąpił znów {again:time}, po tym jak {person:text} uznał(a) to za zakończone {declared:time}',
  declared_before: 'wcześniej za zakończone uznał(a) to {person:text} {declared:time}',
  amount_not_reported: 'nie zgłoszono, ile przesypano',
  amount_last_reported: 'ostatnie zgłoszenie podało {moved:quantity}, a ile razem, nie zgłoszono',
  stop_refused: 'odmówiło zatrzymania[ ({reason:text?})]',
  stop_failed: 'nie mogło się zatrzymać[ ({reason:text?})]',
  stop_cancelled: 'anulowało zatrzymanie[ ({reason:text?})]',
  stop_not_known: 'nie zna zatrzymania[ ({reason:text?})]',
  expired_unsent: 'wygasło, zanim można było je wysłać',
  nothing_sent: 'urządzenie nie jest połączone, więc niczego nie wysłano',
  stop_came_first: 'wcześniej nastąpił stop awaryjny',
  outcome_forgotten: 'urządzenie już tego nie zna; wynik jest nieznany',
  did_not_arrive: 'urządzenie tego nie zna: nie dotarło na czas albo utraciło pamięć',
  did_not_connect: 'urządzenie nie połączyło się na czas',
  superseded: 'urządzenie anulowało to dla innego',
  no_word_of_it: 'urządzenie nie podaje, co się z tym stało',
  was_cancelled: 'anulowano',
  could_not_begin: 'nie mogło zacząć się na czas',
  upload_unanswered: 'urządzenie nie odpowiedziało na czas na przesłanie, więc nie polecono startu',
  start_ignored: 'urządzeniu polecono start, a zgłasza, że nie zaczęło',
  mission_not_sent:
    'urządzenie nie było połączone, gdy miało dostać polecenie startu, więc niczego nie wysłano',
  stop_ended_it: 'zakończył to stop awaryjny',
  stop_was_in_force: 'obowiązywał stop awaryjny, więc się nie zaczęło',
  mission_forgotten:
    'urządzenie nie zna już misji, więc wynik jest nieznany; nie zostanie ponownie uruchomiona',
  not_heard_again: 'urządzenie już się nie odezwało, więc wynik jest nieznany',
  ended_early: 'urządzenie zakończyło to przed czasem i nie podało powodu',
};

type Words = { readonly [Kind in keyof typeof WORDS]: Readonly<Record<keyof (typeof WORDS)[Kind], string>> };

export const SENTENCE_WORDS: Words = {
  job: { operation: 'operacji', mission: 'misji', emergency_stop: 'stopu awaryjnego' },
  failsafe: { continue: 'kontynuować', hold: 'stanąć', return_to_base: 'wrócić do bazy' },
  found: { text: 'tekst', boolean: 'prawda lub fałsz', null: 'puste', object: 'obiekt', list: 'lista' },
  timeUnit: { seconds: 'sekundach', microseconds: 'mikrosekundach', nanoseconds: 'nanosekundach' },
  notSent: {
    not_connected: 'urządzenie nie jest połączone',
    not_subscribed: 'urządzenie jest połączone, ale nie odbiera poleceń',
    expired: 'nie można go było wysłać na czas',
    in_flight: 'przeszkodziła inna wiadomość do urządzenia',
  },
  missionChange: { pause: 'wstrzymana', resume: 'wznowiona' },
  command: {
    move_to_coordinates: 'jedź do miejsca',
    hold: 'stój',
    resume: 'kontynuuj',
    return_to_base: 'wróć do bazy',
    scan: 'skanuj',
    collect_sample: 'pobierz próbkę',
    emergency_stop: 'stop awaryjny',
    release_emergency_stop: 'zwolnienie stopu awaryjnego',
  },
  jobStatus: {
    started: 'rozpoczęto',
    in_progress: 'w toku',
    unconfirmed: 'niepotwierdzone',
    stopping: 'zatrzymywanie',
    stopped: 'zatrzymano',
    completed: 'zakończono',
    failed: 'nie udało się',
    queued: 'czeka',
    sent: 'wysłano',
    executing: 'wykonywane',
    succeeded: 'wykonano',
    rejected: 'odrzucono',
    cancelled: 'anulowano',
    expired: 'wygasło',
    timed_out: 'brak odpowiedzi',
    scheduled: 'zaplanowano',
    dispatched: 'wysłano do urządzenia',
    paused: 'wstrzymano',
    aborted: 'przerwano',
    missed: 'przepadło',
  },
  missionRequest: { pause: 'wstrzymanie', resume: 'wznowienie', cancel: 'zakończenie' },
  missionStatus: {
    scheduled: 'jest zaplanowana na później',
    dispatched: 'jest wysłana do urządzenia, ale nierozpoczęta',
    in_progress: 'trwa',
    paused: 'jest wstrzymana',
    completed: 'jest zakończona',
    aborted: 'została przerwana',
    failed: 'nie udała się',
    missed: 'przepadła',
    cancelled: 'została anulowana',
  },
  animals: {
    broiler: 'brojlery',
    layer: 'nioski',
    pig: 'świnie',
    dairy: 'krowy mleczne',
    other: 'inne zwierzęta',
  },
  animalsField: {
    heads: 'ich liczbę',
    started_on: 'dzień, od którego tu są',
    ends_on: 'dzień, w którym odchodzą',
  },
  comparison: { more: 'więcej', less: 'mniej' },
  weekday: {
    0: 'poniedziałek',
    1: 'wtorek',
    2: 'środa',
    3: 'czwartek',
    4: 'piątek',
    5: 'sobota',
    6: 'niedziela',
  },
};
