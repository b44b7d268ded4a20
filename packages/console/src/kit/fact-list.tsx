import type { ComponentChildren } from 'preact';
import './fact-list.css';

export interface Fact {
  readonly title: string;
  readonly value: ComponentChildren;
  readonly isUnusual?: boolean;
}

/** Shows facts with their titles, one below the other. */
export const FactList = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="fact-list">
    {facts.flatMap(({ title, value, isUnusual = false }) => [
      <dt key={`${title}:`}>{title}</dt>,
      <dd key={title} class={`free-text ${isUnusual ? 'unusual' : ''}`}>
        {value}
      </dd>,
    ])}
  </dl>
);
