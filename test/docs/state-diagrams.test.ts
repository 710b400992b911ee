import { expect } from 'chai';
import { SERVICE_MACHINE } from '../../actors/service/transitions.ts';
import { serviceArrows, stateDiagram } from './state-diagrams.ts';

describe('The diagrams of life cycles', () => {
  it('join arrows between the same states, and mark where a life begins and ends', () => {
    const arrows = [
      { from: 'A', to: 'B', label: 'go' },
      { from: 'A', to: 'B', label: 'run' },
      { from: 'B', to: 'A', label: 'back' },
      { from: 'B', to: 'C', label: 'end' },
    ];
    expect(
      stateDiagram(['A'], arrows)
        .split('\n')
        .map((line) => line.trim()),
    ).to.deep.equal([
      '```mermaid',
      'stateDiagram-v2',
      '[*] --> A',
      'A --> B: go, run',
      'B --> A: back',
      'B --> C: end',
      'C --> [*]',
      '```',
    ]);
  });

  it('show what the table of a service declares, and nothing else', () => {
    const arrows = serviceArrows();
    for (const { from, to, label } of arrows) {
      const { [label as keyof typeof SERVICE_MACHINE.on]: declared } = SERVICE_MACHINE.on;
      expect(declared.from, `${label} is carried out in`).to.include(from);
      expect(declared.to, `${label} leads to`).to.include(to);
    }
    expect(arrows).to.deep.include({ from: 'Launching', to: 'InactiveNoStart', label: 'ended' });
    expect(arrows).to.not.deep.include({ from: 'Running', to: 'ShuttingDown', label: 'kill' });
  });
});
