/** Versions of the CNI specification. Pure. */
import { AppError } from '../../../base/errors.ts';

/** What this client speaks, oldest first. */
export const CNI_VERSIONS: readonly string[] = ['0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'];

export function atLeast(version: string, least: string): boolean {
	return compare(version, least) >= 0;
}

/**
 * The newest version that the configuration allows, this client speaks and every plug-in supports.
 * @param supported what each plug-in answered to VERSION, by its type
 */
export function chooseVersion(name: string, wanted: readonly string[], supported: ReadonlyMap<string, readonly string[]>): string {
	const known = wanted.filter((v) => CNI_VERSIONS.includes(v)).sort(compare);
	if (known.length === 0)
		throw new AppError(
			'FailedPrecondition',
			`CNI network "${name}" has version ${wanted.map((v) => JSON.stringify(v)).join(', ')}; supported are ${CNI_VERSIONS.join(', ')}`,
		);
	const lacking = (version: string): string | undefined => [...supported].find(([, versions]) => !versions.includes(version))?.[0];
	const best = known.findLast((version) => lacking(version) === undefined);
	if (best !== undefined) return best;
	const newest = known.at(-1) as string;
	const plugin = lacking(newest) as string;
	throw new AppError(
		'FailedPrecondition',
		`CNI plug-in "${plugin}" does not support version ${newest} of network "${name}", only ${supported.get(plugin)?.join(', ')}`,
	);
}

function compare(a: string, b: string): number {
	const [left, right] = [a, b].map((v) => v.split('.').map(Number)) as [number[], number[]];
	for (let i = 0; i < 3; i++) {
		const difference = (left[i] ?? 0) - (right[i] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}
