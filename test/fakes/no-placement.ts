/** An agent that gives nothing piece by piece: no policies, no devices. */
import { Devices } from '../../agent/device/devices.ts';
import { Assignments } from '../../agent/topology/assignments.ts';
import { PlacementFigures } from '../../agent/topology/figures.ts';
import type { PlacementParts } from '../../agent/topology/of-agent.ts';
import { Placement } from '../../agent/topology/placement.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { Registry } from '../../base/metrics.ts';

export function noPlacement(clock: Clock, log: Log): PlacementParts {
	const figures = new PlacementFigures(new Registry());
	const topology = { cpus: [], nodes: [] };
	const { signal } = new AbortController();
	const given = { folder: '', masks: [], clock, log, figures, signal, changed: () => {}, wake: () => {} };
	return {
		topology,
		placement: new Placement({ policy: 'none', scope: 'container', preferClosest: false, nodes: [], givers: [], figures, clock, log }),
		devices: new Devices(given, { held: new Assignments(), registered: new Map() }),
		cpus: undefined,
		memory: undefined,
		run: () => Promise.resolve(),
	};
}
