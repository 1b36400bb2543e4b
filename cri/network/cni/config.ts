/** A CNI network configuration, as administrators and network add-ons write it: *.conflist, or *.conf and *.json of one plug-in. Pure. */
import { AppError } from '../../../base/errors.ts';

/** What a plug-in is given, apart from what the runtime adds. */
export interface PluginConfig {
	readonly type: string;
	readonly capabilities: Readonly<Record<string, boolean>>;
	/** All of it, as it was written. */
	readonly raw: JsonObject;
}

export interface NetworkConfig {
	readonly name: string;
	/** The versions it allows: `cniVersion`, or all of `cniVersions`. */
	readonly versions: readonly string[];
	readonly disableCheck: boolean;
	readonly disableGC: boolean;
	/** Whether plug-ins of the folder with the network's name are left out. */
	readonly loadOnlyInlinedPlugins: boolean;
	readonly plugins: readonly PluginConfig[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Specification, section 1: "must start with an alphanumeric character, optionally followed by ... underscore, dot or hyphen". */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const EXTENSIONS = ['.conflist', '.conf', '.json'];

/** The files that may be configurations, in the order in which they count: the first one is taken. */
export function configFiles(names: readonly string[]): readonly string[] {
	return names.filter((n) => EXTENSIONS.some((e) => n.endsWith(e))).sort();
}

/** Throws InvalidArgument, naming the file and what is wrong. */
export function parseConfig(file: string, text: string): NetworkConfig {
	const refuse = (why: string): never => {
		throw new AppError('InvalidArgument', `Wrong CNI configuration "${file}": ${why}`);
	};
	const parsed = parseJson(text) ?? refuse('it is no JSON object');
	const isList = file.endsWith('.conflist');
	if (!isList && parsed['type'] === undefined && Array.isArray(parsed['plugins']))
		refuse('it is a list of plug-ins, whose file must be named *.conflist');
	const { name } = parsed;
	if (typeof name !== 'string' || !NAME.test(name))
		return refuse(`name must be letters, digits, "_", "." and "-", not ${JSON.stringify(name)}`);
	const entries = isList ? parsed['plugins'] : [parsed];
	if (!Array.isArray(entries)) return refuse('plugins must be a list');
	const more = parsed['cniVersions'];
	const versions = [parsed['cniVersion'], ...(Array.isArray(more) ? more : [])].filter(
		(v): v is string => typeof v === 'string' && v !== '',
	);
	if (versions.length === 0) refuse('cniVersion is missing');
	return {
		name,
		versions: [...new Set(versions)],
		disableCheck: isTrue(parsed['disableCheck']),
		disableGC: isTrue(parsed['disableGC']),
		loadOnlyInlinedPlugins: !isList || isTrue(parsed['loadOnlyInlinedPlugins']),
		plugins: entries.map((entry) => parsePlugin(file, entry)),
	};
}

/** One plug-in; also what stands in a file of its own in the folder of its network. */
export function parsePlugin(file: string, entry: unknown): PluginConfig {
	const raw = asObject(typeof entry === 'string' ? parseJson(entry) : entry);
	const type = raw?.['type'];
	if (raw === undefined || typeof type !== 'string' || type === '')
		throw new AppError('InvalidArgument', `Wrong CNI configuration "${file}": a plug-in has no type`);
	// The type is a program's name in the folders of plug-ins, never a path out of them.
	if (type.includes('/') || type === '.' || type === '..')
		throw new AppError('InvalidArgument', `Wrong CNI configuration "${file}": "${type}" is no name of a plug-in`);
	const capabilities = Object.entries(asObject(raw['capabilities']) ?? {}).map(([key, value]) => [key, value === true] as const);
	return { type, capabilities: Object.fromEntries(capabilities), raw };
}

export function asObject(value: unknown): JsonObject | undefined {
	return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

function parseJson(text: string): JsonObject | undefined {
	try {
		return asObject(JSON.parse(text));
	} catch {
		return undefined;
	}
}

/** Some write booleans as text. */
function isTrue(value: unknown): boolean {
	return value === true || value === 'true';
}
