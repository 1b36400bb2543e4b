/** Dynamic resources of an agent: drivers that register on this node, and the claims of its pods. */
import type { AgentDeps, AgentOptions } from '../options.ts';
import type { FinishedCall } from '../../wire/grpc/method.ts';
import { DynamicClaims } from './claims.ts';
import type { DynamicFigures } from './figures.ts';
import { DeviceHealth } from './health.ts';
import { DraPlugins } from './plugins.ts';

export interface DraParts {
	readonly plugins: DraPlugins;
	readonly claims: DynamicClaims;
}

/** @param wake pods that wait for a driver, or whose devices are otherwise now, are looked at again */
export async function draParts(
	options: AgentOptions,
	deps: Pick<AgentDeps, 'client' | 'clock' | 'log'> & { readonly figures: DynamicFigures },
	bootId: string,
	wake: (uid: string) => void,
): Promise<DraParts> {
	const { client, clock, log, figures } = deps;
	const { rootDir, nodeName } = options;
	const registered = (): void => {
		for (const uid of claims.takeWaiting()) wake(uid);
	};
	const changed = (driver: string, devices: ReadonlySet<string>): void => {
		for (const uid of claims.podsWith(driver, devices)) wake(uid);
	};
	const health = await DeviceHealth.open({ rootDir, clock, log, changed });
	const called = (driver: string, call: FinishedCall): void => figures.called(driver, call);
	const plugins = new DraPlugins({ client, clock, log, nodeName, registered, called, health });
	const claims = await DynamicClaims.open({ rootDir, bootId, client, plugins, log, health });
	return { plugins, claims };
}
