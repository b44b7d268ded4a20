export const administration = {
  title: 'Administration',
  pages: { devices: 'Devices', keys: 'API keys', audit: 'Audit log', health: 'Service health' },
  onlyAdmin: 'Your key does not allow this. It needs the scope admin.',
};
