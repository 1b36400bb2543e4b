/** Seccomp profiles as the runtime is told of them: those of the node by their path, and the runtime's own where the node is configured so. Pure. */
import { join } from 'node:path';
import type { Container, Pod, SeccompProfile } from '../../api/gen/types.ts';

interface Settings {
	/** Where profiles of type Localhost are. */
	readonly folder: string;
	/** Pods that name none have the runtime's. */
	readonly byDefault: boolean;
}

export function withSeccomp(pod: Pod, { folder, byDefault }: Settings): Pod {
	const { spec } = pod;
	if (spec === undefined) return pod;
	const placed = <C extends { readonly seccompProfile?: SeccompProfile | undefined }>(context: C): C => {
		const { type, localhostProfile } = context.seccompProfile ?? {};
		if (type !== 'Localhost' || localhostProfile === undefined) return context;
		return { ...context, seccompProfile: { type, localhostProfile: join(folder, localhostProfile) } };
	};
	const container = <C extends Container>(c: C): C =>
		c.securityContext === undefined ? c : { ...c, securityContext: placed(c.securityContext) };
	const { securityContext = {}, containers, initContainers, ephemeralContainers } = spec;
	const own = byDefault && securityContext.seccompProfile === undefined ? { seccompProfile: { type: 'RuntimeDefault' } } : {};
	return {
		...pod,
		spec: {
			...spec,
			securityContext: placed({ ...securityContext, ...own }),
			containers: containers.map(container),
			...(initContainers === undefined ? {} : { initContainers: initContainers.map(container) }),
			...(ephemeralContainers === undefined ? {} : { ephemeralContainers: ephemeralContainers.map(container) }),
		},
	};
}
