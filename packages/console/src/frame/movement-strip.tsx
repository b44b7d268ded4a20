import { useConsole } from '../console.ts';
import { texts } from '../texts/texts.ts';
import { MissionMovement } from './mission-movement.tsx';
import { OperationMovement } from './operation-movement.tsx';
import './movement-strip.css';

/** Below the alarm bar while anything moves: what, how far, how long still, and its stop. */
export function MovementStrip() {
  const { site } = useConsole().live;
  const operations = [...site.operations.all.value.values()];
  const missions = [...site.missions.all.value.values()];
  if (operations.length + missions.length === 0) return null;
  return (
    <section class="movement-strip" aria-label={texts.value.frame.movement}>
      <ul>
        {operations.map((operation) => (
          <OperationMovement key={operation.operation_id} operation={operation} />
        ))}
        {missions.map((mission) => (
          <MissionMovement key={mission.mission_id} mission={mission} />
        ))}
      </ul>
    </section>
  );
}
