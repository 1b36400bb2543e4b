/** Lines of the Prometheus text form with times of their own, for figures that are read when asked for. Pure. */

export interface Sample {
	readonly labels?: Readonly<Record<string, string>>;
	readonly value: number | undefined;
	/** ms since the epoch. */
	readonly at?: number;
}

export interface Family {
	readonly name: string;
	readonly type: 'counter' | 'gauge';
	readonly help: string;
	readonly samples: readonly Sample[];
}

export const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

/** Samples without a value are left out, and families without samples. */
export function exposition(families: readonly Family[]): string {
	return families
		.map((family) => ({ ...family, samples: family.samples.filter((s) => s.value !== undefined) }))
		.filter((family) => family.samples.length > 0)
		.flatMap(({ name, type, help, samples }) => [
			`# HELP ${name} ${help}`,
			`# TYPE ${name} ${type}`,
			...samples.map(({ labels = {}, value, at }) => `${name}${labelText(labels)} ${value}${at === undefined ? '' : ` ${Math.round(at)}`}`),
			'',
		])
		.join('\n');
}

function labelText(labels: Readonly<Record<string, string>>): string {
	const parts = Object.entries(labels)
		.toSorted(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => (c === '\n' ? '\\n' : `\\${c}`))}"`);
	return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
