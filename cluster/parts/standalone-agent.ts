/** The agent of no cluster: static pods only. What it would ask of an API server waits for ever, what it would tell one is dropped. */
import { aborted } from '../../base/abort.ts';
import { AppError } from '../../base/errors.ts';
import type { Service } from '../../base/service.ts';
import { createClient } from '../../client/rest.ts';
import type { Transport } from '../../client/transport.ts';
import { agentService } from './agent.ts';
import type { PartDeps } from './apiserver.ts';
import type { AgentConfig } from './config.ts';

export function standaloneAgent(config: AgentConfig, deps: PartDeps): Promise<Service> {
	return agentService(config, createClient(NOBODY, { userAgent: 'kubelet' }), deps, []);
}

const NO_SERVER = 'This agent is standalone: it has no API server';

const NOBODY: Transport = {
	async request({ method }, signal) {
		if (method === 'GET') await aborted(signal);
		signal.throwIfAborted();
		throw new AppError('Unavailable', NO_SERVER);
	},
	upgrade: () => Promise.reject(new AppError('Unavailable', NO_SERVER)),
	close: () => Promise.resolve(),
};
