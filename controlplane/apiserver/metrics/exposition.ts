/** A registry as upstream's is written: by name, with the level of each metric, and without what has counted nothing yet. */
import { Counter, type Registry } from '../../../base/metrics.ts';
import { deprecatedSince, leveledHelp, levelOf } from './stability.ts';

const HELP = '# HELP ';
/** HELP and TYPE alone: a metric with labels that has no series. */
const HEAD_LINES = 2;

export async function exposition(registry: Registry): Promise<string> {
	const names = namesOf(registry).toSorted();
	const families = await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)));
	const shown = families.flatMap((text, i) => (lineCount(text) <= HEAD_LINES ? [] : [leveled(names[i] as string, text)]));
	return `${shown.join('\n')}\n`;
}

function lineCount(text: string): number {
	let count = 1;
	for (let at = text.indexOf('\n'); at >= 0 && count <= HEAD_LINES; at = text.indexOf('\n', at + 1)) count++;
	return count;
}

function leveled(name: string, text: string): string {
	const from = HELP.length + name.length + 1;
	const to = text.indexOf('\n');
	return `${HELP}${name} ${leveledHelp(name, text.slice(from, to))}${text.slice(to)}`;
}

/** How many metrics there are of each level. */
export function registeredMetrics(registry: Registry): void {
	new Counter({
		name: 'registered_metrics_total',
		help: 'The count of registered metrics broken by stability level and deprecation version.',
		labelNames: ['stability_level', 'deprecated_version'],
		registers: [registry],
		collect() {
			this.reset();
			for (const name of namesOf(registry)) {
				const level = levelOf(name);
				if (level !== undefined) this.inc({ stability_level: level, deprecated_version: deprecatedSince(name) });
			}
		},
	});
}

function namesOf(registry: Registry): readonly string[] {
	return (registry.getMetricsAsArray() as readonly unknown[] as readonly { readonly name: string }[]).map(({ name }) => name);
}
