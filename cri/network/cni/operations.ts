/** The operations of the CNI specification on a network: its plug-ins one after the other, each with what the one before answered. */
import { AppError } from '../../../base/errors.ts';
import type { JsonObject, NetworkConfig, PluginConfig } from './config.ts';
import type { CniAttachment, CniExec } from './exec.ts';
import { type CniResult, parseResult, resultAs } from './result.ts';
import { atLeast } from './version.ts';

/** A configuration with the version that was agreed on. */
export interface CniNetwork {
	readonly config: NetworkConfig;
	readonly version: string;
}

/** What the runtime tells plug-ins that declare the capability, by its name. */
export type CapabilityArgs = Readonly<Record<string, unknown>>;

/**
 * Answers the last plug-in's result, in the network's version.
 * @param onResult is told each plug-in's: where a later one fails, DEL needs what there was
 */
export async function add(
	exec: CniExec,
	network: CniNetwork,
	attachment: CniAttachment,
	args: CapabilityArgs,
	onResult: (result: CniResult) => void = () => {},
): Promise<CniResult> {
	let result: CniResult | undefined;
	for (const plugin of network.config.plugins) {
		const out = await exec({ command: 'ADD', plugin: plugin.type, config: pluginConfig(network, plugin, args, result), attachment });
		result = resultAs(parseResult(plugin.type, out, network.version), network.version);
		onResult(result);
	}
	return result as CniResult;
}

/** Throws where something of the attachment is not as ADD left it. Before 0.4.0, and where turned off, nothing is looked at. */
export async function check(
	exec: CniExec,
	network: CniNetwork,
	attachment: CniAttachment,
	args: CapabilityArgs,
	result: CniResult,
): Promise<void> {
	if (!atLeast(network.version, '0.4.0') || network.config.disableCheck) return;
	for (const plugin of network.config.plugins)
		await exec({ command: 'CHECK', plugin: plugin.type, config: pluginConfig(network, plugin, args, result), attachment });
}

/** In reverse order; the result of ADD is known to plug-ins from 0.4.0 on. */
export async function del(
	exec: CniExec,
	network: CniNetwork,
	attachment: CniAttachment,
	args: CapabilityArgs,
	result: CniResult | undefined,
): Promise<void> {
	const previous = atLeast(network.version, '0.4.0') ? result : undefined;
	for (const plugin of network.config.plugins.toReversed())
		await exec({ command: 'DEL', plugin: plugin.type, config: pluginConfig(network, plugin, args, previous), attachment });
}

/** Tells plug-ins of 1.1.0 which attachments there are, so that they drop all else. Every plug-in is asked; the first failure is thrown. */
export async function gc(
	exec: CniExec,
	network: CniNetwork,
	valid: readonly { readonly containerId: string; readonly ifname: string }[],
): Promise<void> {
	if (!atLeast(network.version, '1.1.0') || network.config.disableGC) return;
	const attachments = valid.map(({ containerId, ifname }) => ({ containerID: containerId, ifname }));
	const failures: unknown[] = [];
	for (const plugin of network.config.plugins) {
		// The second name is what early texts of the specification had.
		const config = { ...base(network, plugin), 'cni.dev/valid-attachments': attachments, 'cni.dev/attachments': attachments };
		await exec({ command: 'GC', plugin: plugin.type, config }).catch((error: unknown) => failures.push(error));
	}
	if (failures.length > 0) throw failures[0];
}

/** Throws where a plug-in of 1.1.0 says that it cannot connect pods now. */
export async function status(exec: CniExec, network: CniNetwork): Promise<void> {
	if (!atLeast(network.version, '1.1.0')) return;
	for (const plugin of network.config.plugins) await exec({ command: 'STATUS', plugin: plugin.type, config: base(network, plugin) });
}

/** The versions that the plug-in supports. */
export async function supportedVersions(exec: CniExec, plugin: string, version: string): Promise<readonly string[]> {
	const out = await exec({ command: 'VERSION', plugin, config: { cniVersion: version } });
	let parsed: { supportedVersions?: unknown } | undefined;
	try {
		parsed = JSON.parse(out) as typeof parsed;
	} catch {}
	const versions = parsed?.supportedVersions;
	if (!Array.isArray(versions))
		throw new AppError('FailedPrecondition', `CNI plug-in "${plugin}" does not tell which versions it supports`);
	return versions.map(String);
}

/** Pure: the configuration that a plug-in gets. */
export function pluginConfig(network: CniNetwork, plugin: PluginConfig, args: CapabilityArgs, previous: CniResult | undefined): JsonObject {
	const runtimeConfig = Object.fromEntries(
		Object.entries(args).filter(([name, value]) => plugin.capabilities[name] === true && value !== undefined),
	);
	return {
		...base(network, plugin),
		...(Object.keys(runtimeConfig).length === 0 ? {} : { runtimeConfig }),
		...(previous === undefined ? {} : { prevResult: previous }),
	};
}

/** Without `capabilities`: that is between administrator and runtime. */
function base({ config, version }: CniNetwork, { raw }: PluginConfig): JsonObject {
	const { capabilities: _, cniVersions: __, ...rest } = raw;
	return { ...rest, name: config.name, cniVersion: version };
}
