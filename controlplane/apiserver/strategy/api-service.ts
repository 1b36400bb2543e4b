/** APIServices on their way to the store: one of this server's own is available at once. */
import type { APIService } from '../../../api/gen/types.ts';
import { keptDescription } from './kept-metadata.ts';
import type { Strategy } from './strategy.ts';

export const apiServiceStrategy: Strategy = {
	status: ['status'],
	allowUnconditionalUpdate: false,
	prepareForStatusUpdate: keptDescription,
	prepareForCreate(object, now) {
		const { spec } = object as unknown as Partial<APIService>;
		if (spec?.service !== undefined) return;
		const available = { type: 'Available', status: 'True', lastTransitionTime: now, reason: 'Local' };
		object['status'] = { conditions: [{ ...available, message: 'Local APIServices are always available' }] };
	},
};
