/** Finds CDI devices in the host's specification files. Read anew for each container that asks: they come and go with their drivers. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { AppError, messageOf } from '../../base/errors.ts';
import { cdiName, cdiSpec, type CdiEdits, type CdiSpec } from './spec.ts';

/** As CDI says: what is made at run time stands before what an administrator installed. */
export const CDI_FOLDERS = ['/etc/cdi', '/var/run/cdi'] as const;

/** The edits of these devices: of each its specification's own once, then the device's. Throws NotFound, naming a broken file where that may be why. */
export async function cdiEdits(names: readonly string[], folders: readonly string[] = CDI_FOLDERS): Promise<readonly CdiEdits[]> {
	if (names.length === 0) return [];
	const { specs, broken } = await readSpecs(folders);
	const edits: CdiEdits[] = [];
	const used = new Set<CdiSpec>();
	for (const qualified of new Set(names)) {
		const { kind, name } = cdiName(qualified);
		const found = pick(specs, kind, name, qualified);
		if (found === undefined)
			throw new AppError('NotFound', `There is no CDI device "${qualified}"${broken === undefined ? '' : ` (${broken})`}`);
		if (!used.has(found.spec) && found.spec.containerEdits !== undefined) edits.push(found.spec.containerEdits);
		used.add(found.spec);
		edits.push(found.edits);
	}
	return edits;
}

interface Found {
	readonly spec: CdiSpec;
	readonly edits: CdiEdits;
	readonly priority: number;
}

/** Of the folder that comes last; two in one folder contradict each other. */
function pick(
	specs: readonly { readonly spec: CdiSpec; readonly priority: number }[],
	kind: string,
	name: string,
	qualified: string,
): Found | undefined {
	const all = specs.flatMap(({ spec, priority }) =>
		spec.kind === kind ? spec.devices.filter((d) => d.name === name).map((d): Found => ({ spec, edits: d.containerEdits, priority })) : [],
	);
	const best = all.filter((f) => f.priority === Math.max(...all.map((a) => a.priority)));
	if (best.length > 1) throw new AppError('FailedPrecondition', `CDI device "${qualified}" is defined more than once`);
	return best[0];
}

async function readSpecs(
	folders: readonly string[],
): Promise<{ readonly specs: readonly { readonly spec: CdiSpec; readonly priority: number }[]; readonly broken: string | undefined }> {
	const specs: { spec: CdiSpec; priority: number }[] = [];
	let broken: string | undefined;
	for (const [priority, folder] of folders.entries()) {
		for (const file of (await readdir(folder).catch(() => [])).toSorted()) {
			if (!['.json', '.yaml', '.yml'].includes(extname(file))) continue;
			const path = join(folder, file);
			try {
				specs.push({ spec: cdiSpec(await parse(path), path), priority });
			} catch (error) {
				broken = messageOf(error); // one driver's bad file must not take away the devices of others
			}
		}
	}
	return { specs, broken };
}

async function parse(path: string): Promise<unknown> {
	const text = await readFile(path, 'utf8');
	if (extname(path) === '.json') return JSON.parse(text);
	const { parse: parseYaml } = await import('yaml');
	return parseYaml(text, { version: '1.1' });
}
