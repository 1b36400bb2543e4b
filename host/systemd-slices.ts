/** Slices of systemd, asked for over D-Bus with systemd's own busctl, as container runtimes do. */
import { runCommand } from './command.ts';

/** Name, D-Bus type and value. */
export type UnitProperty = readonly [name: string, type: string, value: string];
export type Run = (command: string, args: readonly string[]) => Promise<string>;

const MANAGER = ['call', 'org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'] as const;
/** Of every slice: systemd counts what is in it, and does not wait for other units. */
const ALWAYS: readonly UnitProperty[] = [
	['DefaultDependencies', 'b', 'false'],
	['CPUAccounting', 'b', 'true'],
	['MemoryAccounting', 'b', 'true'],
	['TasksAccounting', 'b', 'true'],
];

/** Makes a slice with these properties; one that is there gets them. */
export async function startSlice(slice: string, properties: readonly UnitProperty[], run: Run = runCommand): Promise<void> {
	try {
		await run('busctl', startArguments(slice, properties));
	} catch (error) {
		if (!/already exists|UnitExists|was already loaded/.test(String(error))) throw error;
		await setSlice(slice, properties, run);
	}
}

export async function setSlice(slice: string, properties: readonly UnitProperty[], run: Run = runCommand): Promise<void> {
	if (properties.length > 0) await run('busctl', [...MANAGER, 'SetUnitProperties', 'sba(sv)', slice, 'true', ...flat(properties)]);
}

/** One that is gone already is no failure. */
export async function stopSlice(slice: string, run: Run = runCommand): Promise<void> {
	await run('busctl', [...MANAGER, 'StopUnit', 'ss', slice, 'replace']).catch((error: unknown) => {
		if (!/not loaded|NoSuchUnit/.test(String(error))) throw error;
	});
}

/** Pure. */
function startArguments(slice: string, properties: readonly UnitProperty[]): readonly string[] {
	return [...MANAGER, 'StartTransientUnit', 'ssa(sv)a(sa(sv))', slice, 'replace', ...flat([...ALWAYS, ...properties]), '0'];
}

/** An array of a name and a variant, as busctl reads it: how many, then each. */
function flat(properties: readonly UnitProperty[]): readonly string[] {
	return [String(properties.length), ...properties.flat()];
}
