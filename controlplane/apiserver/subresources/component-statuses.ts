/** componentstatuses: the health of the parts, as a deprecated virtual resource. */
import { notFound } from '../../../api/status.ts';
import { messageOf } from '../../../base/errors.ts';
import type { BodyCodec, SubresourceHandler } from '../contracts.ts';

export interface Component {
	/** "etcd-0", "scheduler", "controller-manager" */
	readonly name: string;
	/** Resolves with a word when healthy ("ok"), rejects when not. */
	check(signal: AbortSignal): Promise<string>;
}

export function componentStatuses(codec: BodyCodec, components: readonly Component[]): SubresourceHandler {
	const statusOf = async (component: Component, signal: AbortSignal): Promise<object> => {
		const [status, message] = await component.check(signal).then(
			(text) => ['True', text],
			(error: unknown) => ['False', messageOf(error)],
		);
		return { metadata: { name: component.name }, conditions: [{ type: 'Healthy', status, message }] };
	};
	return {
		group: '',
		resource: 'componentstatuses',
		subresource: '',
		async handle(request, { name }) {
			request.warn('v1 ComponentStatus is deprecated in v1.19+');
			if (name !== '') {
				const one = components.find((c) => c.name === name);
				if (one === undefined) throw notFound({ group: '', plural: 'componentstatus' }, name);
				return codec.write(request, 200, { kind: 'ComponentStatus', apiVersion: 'v1', ...(await statusOf(one, request.signal)) });
			}
			const items = await Promise.all(components.map((c) => statusOf(c, request.signal)));
			return codec.write(request, 200, { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items });
		},
	};
}
