/** /version: the Kubernetes version whose behaviour is served. */
import type { Handler } from '../contracts.ts';
import { onlyGet, refuseUnlisted } from '../answer/accept.ts';

/** The upstream release that this API follows. */
export const KUBERNETES_VERSION = { major: '1', minor: '36', patch: '2' } as const;

export interface BuildInfo {
	/** Appended to gitVersion as build metadata: "kubeling-0.1.0". */
	readonly build: string;
	/** RFC 3339. */
	readonly buildDate: string;
	readonly gitCommit: string;
}

export function versionInfo(info: BuildInfo): object {
	const { major, minor, patch } = KUBERNETES_VERSION;
	const platform = `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`;
	return {
		major,
		minor,
		emulationMajor: major,
		emulationMinor: minor,
		minCompatibilityMajor: major,
		minCompatibilityMinor: String(Number(minor) - 1),
		gitVersion: `v${major}.${minor}.${patch}+${info.build}`,
		gitCommit: info.gitCommit,
		gitTreeState: 'clean',
		buildDate: info.buildDate,
		goVersion: `node ${process.version}`,
		compiler: 'node',
		platform,
	};
}

export function versionHandler(info: BuildInfo): Handler {
	const body = Buffer.from(JSON.stringify(versionInfo(info), undefined, 2));
	return (request) => {
		onlyGet(request);
		refuseUnlisted(request.headers['accept'], ['application/json']);
		return Promise.resolve({
			type: 'bytes',
			status: 200,
			headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
			body,
		});
	};
}
