/** Dynamic resources of an agent: drivers that register on this node, and the claims of its pods. */
import type { AgentDeps, AgentOptions } from '../options.ts';
import { DynamicClaims } from './claims.ts';
import type { DynamicFigures } from './figures.ts';
import { DraPlugins } from './plugins.ts';

export interface DraParts {
	readonly plugins: DraPlugins;
	readonly claims: DynamicClaims;
}

/** @param wake pods that wait for a driver are looked at again */
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
	const plugins = new DraPlugins({ client, clock, log, nodeName, registered, called: (driver, call) => figures.called(driver, call) });
	const claims = await DynamicClaims.open({ rootDir, bootId, client, plugins, log });
	return { plugins, claims };
}
