/** Where in virtual time each level's last dispatch was, and for what there was no room, under upstream's names. */
import { Counter, Gauge, type Registry } from '../../../base/metrics.ts';
import type { Dispatches } from './dispatches.ts';
import type { Levels } from './levels.ts';

/** Virtual time is told in seconds. */
const seconds = (ms: number): number => ms / 1000;

export function dispatchMetrics(registers: Registry[], prefix: string, levels: Levels): void {
	const dispatches = function* (): Generator<readonly [level: string, last: Dispatches]> {
		for (const { name, queues } of levels.all()) if (queues.dispatches.count > 0) yield [name, queues.dispatches];
	};
	for (const [name, help, read] of [
		['dispatch_r', 'R(time of last dispatch)', (last: Dispatches) => last.at],
		['latest_s', 'S(most recently dispatched request)', (last: Dispatches) => last.start],
	] as const)
		new Gauge<'priority_level'>({
			...{ name: `${prefix}${name}`, help, labelNames: ['priority_level'], registers },
			collect() {
				this.reset();
				for (const [level, last] of dispatches()) this.set({ priority_level: level }, seconds(read(last)));
			},
		});
	for (const [name, help, read] of [
		['next_s_bounds', 'min and max, over queues, of S(oldest waiting request in queue)', (last: Dispatches) => last.next],
		[
			'next_discounted_s_bounds',
			'min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
			(last: Dispatches) => last.discounted,
		],
	] as const)
		new Gauge<'priority_level' | 'bound'>({
			...{ name: `${prefix}${name}`, help, labelNames: ['priority_level', 'bound'], registers },
			collect() {
				this.reset();
				for (const [level, last] of dispatches())
					for (const bound of ['min', 'max'] as const) this.set({ priority_level: level, bound }, seconds(read(last)[bound]));
			},
		});
	new Counter<'priority_level' | 'flow_schema'>({
		...{ name: `${prefix}request_dispatch_no_accommodation_total`, labelNames: ['priority_level', 'flow_schema'], registers },
		help: 'Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
		collect() {
			for (const { name, queues } of levels.all()) {
				for (const [schema, count] of queues.dispatches.noRoom) this.inc({ priority_level: name, flow_schema: schema }, count);
				queues.dispatches.noRoom.clear();
			}
		},
	});
}
