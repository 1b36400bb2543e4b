/** The priority levels that are as they are, whoever writes them: the last resort, and all of the exempt one but its shares. */
import { invalidValue } from '../../field-error.ts';
import type { PriorityLevelConfiguration } from '../../gen/types.ts';
import type { Errors } from '../rule.ts';

export function fixedLevel(out: Errors, { metadata: { name = '' }, spec }: PriorityLevelConfiguration): void {
	if (name === 'exempt' && (spec?.type !== 'Exempt' || spec.limited !== undefined))
		out.push(invalidValue('spec', shownLevel(spec), "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value"));
	if (name === 'catch-all' && !isLastResort(spec))
		out.push(invalidValue('spec', shownLevel(spec), "spec of 'catch-all' must equal the fixed value"));
}

type Spec = PriorityLevelConfiguration['spec'];

function isLastResort(spec: Spec): boolean {
	const { type, limited, exempt } = spec ?? {};
	return (
		type === 'Limited' &&
		exempt === undefined &&
		limited?.nominalConcurrencyShares === 5 &&
		limited.lendablePercent === 0 &&
		limited.borrowingLimitPercent === undefined &&
		limited.limitResponse?.type === 'Reject' &&
		limited.limitResponse.queuing === undefined
	);
}

/** As Go prints upstream's own type. */
function shownLevel(spec: Spec): object {
	const { type, limited, exempt } = spec ?? {};
	const response = limited?.limitResponse;
	const queuing = response?.queuing;
	return {
		Type: type ?? '',
		Limited:
			limited === undefined
				? null
				: {
						NominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0,
						LimitResponse: {
							Type: response?.type ?? '',
							Queuing:
								queuing === undefined
									? null
									: { Queues: queuing.queues, HandSize: queuing.handSize, QueueLengthLimit: queuing.queueLengthLimit },
						},
						LendablePercent: limited.lendablePercent ?? null,
						BorrowingLimitPercent: limited.borrowingLimitPercent ?? null,
					},
		Exempt:
			exempt === undefined
				? null
				: { NominalConcurrencyShares: exempt.nominalConcurrencyShares ?? null, LendablePercent: exempt.lendablePercent ?? null },
	};
}
