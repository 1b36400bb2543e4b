/** What is to happen after a container's exit: its own rules first, then its policy, then the pod's. Pure. */
import type { Container, ContainerRestartRule, Pod } from '../../api/gen/types.ts';
import type { PodContainer } from './containers.ts';

/** The first rule that names the exit code. */
export function ruleFor(container: Container, exitCode: number): ContainerRestartRule | undefined {
	return container.restartPolicyRules?.find(({ exitCodes }) => {
		const listed = exitCodes?.values?.includes(exitCode) ?? false;
		return exitCodes?.operator === 'NotIn' ? !listed : listed;
	});
}

/** True when the container is to run again after this exit. */
export function restartsAfter(pod: Pod, container: PodContainer, exitCode: number): boolean {
	const { kind, spec } = container;
	if (kind === 'ephemeral') return false;
	if (kind === 'sidecar' || ruleFor(spec, exitCode) !== undefined) return true;
	const policy = spec.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
	if (policy === 'Never') return false;
	// An init container that succeeded is done whatever the policy.
	return policy === 'Always' && kind === 'app' ? true : exitCode !== 0;
}

/** True when a container killed for a failed probe is to run again: rules speak of exits only. */
export function restartsAfterProbe(pod: Pod, container: PodContainer): boolean {
	if (container.kind === 'sidecar') return true;
	return (container.spec.restartPolicy ?? pod.spec?.restartPolicy ?? 'Always') !== 'Never';
}
