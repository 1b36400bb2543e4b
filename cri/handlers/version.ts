/** Version: who serves, and the engine's API. */
import type { Handler } from '../context.ts';
import type { VersionRequest, VersionResponse } from '../proto.ts';

/** The kubelet API version that upstream's runtimes answer. */
const KUBELET_API = '0.1.0';

export const version: Handler<VersionRequest, VersionResponse> = async ({ engine }) => ({
	version: KUBELET_API,
	runtimeName: 'docker',
	runtimeVersion: engine.engineVersion.replace(/\+.*$/, ''),
	runtimeApiVersion: 'v1',
});
