/** Which container of a pod a request means. Pure; upstream's texts. */
import type { Pod } from '../../../../api/gen/types.ts';
import { badRequest } from '../../../../api/status.ts';

/** The named container, or the only one. StatusError BadRequest where that is not clear. */
export function chosenContainer(pod: Pod, asked: string): string {
	const name = pod.metadata.name;
	const containers = (pod.spec?.containers ?? []).map((c) => c.name);
	const init = (pod.spec?.initContainers ?? []).map((c) => c.name);
	const ephemeral = (pod.spec?.ephemeralContainers ?? []).map((c) => c.name);
	if (asked !== '') {
		if (![...containers, ...init, ...ephemeral].includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${name}`);
		return asked;
	}
	const [only, ...others] = containers;
	if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
	if (others.length === 0) return only;
	throw badRequest(
		`a container name must be specified for pod ${name}, choose one of: [${[...init, ...containers, ...ephemeral].join(' ')}]`,
	);
}
