/** Selector texts as requirements. */
export interface LabelRequirement {
	readonly key: string;
	readonly operator: 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';
	readonly values: readonly string[];
}
export interface FieldRequirement {
	readonly field: string;
	readonly operator: '=' | '==' | '!=';
	readonly value: string;
}
export function parseLabelSelector(text: string): LabelRequirement[] {
	return text
		.split(/,(?![^(]*\))/)
		.map((t) => t.trim())
		.filter((t) => t !== '')
		.map((t) => {
			const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(t);
			if (set !== null)
				return { key: set[1] as string, operator: set[2] as 'in' | 'notin', values: (set[3] as string).split(',').map((v) => v.trim()) };
			const eq = /^([^!=<>\s]+)\s*(==|!=|=)\s*(\S*)$/.exec(t);
			if (eq !== null) return { key: eq[1] as string, operator: eq[2] as '=' | '!=', values: [eq[3] as string] };
			if (t.startsWith('!')) return { key: t.slice(1).trim(), operator: '!', values: [] };
			return { key: t, operator: 'exists', values: [] };
		});
}
export function parseFieldSelector(text: string): FieldRequirement[] {
	return text
		.split(',')
		.filter((t) => t !== '')
		.map((t) => {
			const m = /^(.*?)(==|!=|=)(.*)$/.exec(t);
			return { field: m?.[1] ?? t, operator: (m?.[2] ?? '=') as '=', value: m?.[3] ?? '' };
		});
}
export function formatLabelSelector(selector: unknown, plainMap: boolean): string {
	const labels = (plainMap ? selector : (selector as { matchLabels?: object }).matchLabels) as Record<string, string> | undefined;
	return Object.entries(labels ?? {})
		.map(([k, v]) => `${k}=${v}`)
		.sort()
		.join(',');
}
