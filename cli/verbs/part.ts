/** `kubeling apiserver|scheduler|controller-manager|agent|cri`: one part alone, from a configuration file, until it is told to stop. */
import { readFile } from 'node:fs/promises';
import { readYaml } from '../../base/parse-yaml.ts';
import { realClock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { createLog, type LogLevel } from '../../base/log.ts';
import { createMetrics } from '../../base/metrics.ts';
import { runServices } from '../../base/service.ts';
import { partServices } from '../../cluster/part.ts';
import type { ApiserverFlags } from '../../cluster/parts/apiserver-flags.ts';
import { apiserverFlagsOf } from '../flags.ts';
import type { PartConfigs, PartName } from '../../cluster/parts/config.ts';

export async function part(flags: { readonly part: PartName; readonly config: string; readonly logLevel: string }): Promise<void> {
	await runPart(flags.part, withFlags(flags.part, await readPartConfig(flags.config), flags), flags.logLevel);
}

/** Until the process is told to stop, or its parent is gone. */
export async function runPart(name: PartName, config: unknown, logLevel: string): Promise<void> {
	const log = createLog({ level: logLevel as LogLevel });
	const stop = new AbortController();
	const onSignal = (): void => stop.abort();
	process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
	// Under a parent the channel's end means that the parent is gone.
	process.once('disconnect', onSignal);
	if (process.connected === false) onSignal();
	try {
		const services = await partServices(name, config as PartConfigs[PartName], { clock: realClock, log, metrics: createMetrics() });
		await runServices(services, stop.signal, () => process.send?.('ready'));
	} finally {
		// An open channel would keep a part that failed alive.
		if (process.connected) process.disconnect();
	}
}

/** What stands in a part's configuration file. */
export async function readPartConfig(path: string): Promise<object> {
	let text: string;
	try {
		text = await readFile(path, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `Cannot read the configuration "${path}": ${messageOf(cause)}`, { cause });
	}
	try {
		return readYaml(text) as object;
	} catch (cause) {
		throw new AppError('InvalidArgument', `The configuration "${path}" is neither JSON nor YAML: ${messageOf(cause)}`, { cause });
	}
}

/** Flags on the command line come before those of the file. */
function withFlags(part: PartName, config: unknown, flags: object): unknown {
	if (part !== 'apiserver' || typeof config !== 'object' || config === null) return config;
	const given = apiserverFlagsOf(flags);
	return Object.keys(given).length === 0 ? config : { ...config, flags: { ...(config as { flags?: ApiserverFlags }).flags, ...given } };
}
