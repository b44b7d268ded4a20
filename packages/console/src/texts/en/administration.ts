export const administration = {
  title: 'Administration',
  pages: {
    devices: 'Devices',
    keys: 'API keys',
    webhooks: 'Webhooks',
    notifications: 'Notifications',
    audit: 'Audit log',
    health: 'Service health',
  },
  onlyAdmin: 'Your key does not allow this. It needs the scope admin.',
};
